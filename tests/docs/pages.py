"""Reads the project's pages: their fenced blocks, headings and links.

What is fenced runs as a test; the first word after the fence is the language, the rest says how (CONTRIBUTING.md, "Pages").
Indented blocks are formulas, synopses and messages.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List

SOURCE = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(.*?)\n(.*?)^```[^\S\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    file: str  # the name it is saved under, or empty
    needs: List[str]  # a module of Python that it needs besides, and the version at least
    not_run: str  # the reason, or empty
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def all_pages() -> List[str]:
    """The project's own: not those of build folders and of what npm fetches."""
    folders = [path for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith((".", "build"))]
    found = [*SOURCE.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    return sorted(str(page.relative_to(SOURCE)) for page in found if "node_modules" not in page.parts)


def text_of(page: str) -> str:
    return (SOURCE / page).read_text()


def blocks(page: str) -> List[Block]:
    text = text_of(page)
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        info, _, reason = match[1].partition("not run:")
        words = info.split()
        assert words, f"{page}:{line}: the block has no language"
        assert "not run" not in info and (":" not in info), f"{page}:{line}: {match[1]}: not run: REASON"
        assert not reason or len(reason.split()) >= 3, f"{page}:{line}: say why it is not run"
        needs = words[words.index("needs") + 1:] if "needs" in words else []
        rest = words[1:words.index("needs")] if "needs" in words else words[1:]
        assert len(rest) <= 1, f"{page}:{line}: {match[1]}: LANGUAGE [FILE] [needs MODULE [VERSION]] [not run: REASON]"
        found.append(Block(page, line, words[0], rest[0] if rest else "", needs, reason.strip(), match[2]))
    return found


def without_code(text: str) -> str:
    """Fenced and indented blocks and `code` have no links."""
    text = FENCE.sub("", text)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def links(page: str) -> Iterator[str]:
    """Those that lead to files or places of the project."""
    for target in LINK.findall(without_code(text_of(page))):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: str) -> List[str]:
    """The places of a page that #... can name, as GitHub makes them of its headings."""
    headings = HEADING.findall(FENCE.sub("", text_of(page)))
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return [re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain]
