# Makes the headers' plain comments, // above a declaration and behind a member, comments that Doxygen reads. Indented lines of
# a comment are formulas: they become blocks of code, which a blank line opens.
match($0, /^ *\/\/( |$)/) {
  indent = substr($0, 1, index($0, "/") - 1)
  text = substr($0, RLENGTH + 1)
  formula = text ~ /^  /
  if (formula && !in_formula) print indent "///"
  in_formula = formula
  print indent "/// " (formula ? "    " : "") text
  next
}
{
  in_formula = 0
  # /* ... */ of the C header, but for the text of a whole file.
  if (FNR > 1) sub(/^\/\* /, "/** ")
  sub(/[;,] +\/\/ /, "& ///< ") && sub(/ \/\/  *\/\/\/< /, " ///< ")
  sub(/, +\/\* /, "&< ") && sub(/\/\* < /, "/**< ")
  print
}
