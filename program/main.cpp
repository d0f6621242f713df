#include "program.hpp"

int main(int argc, char** argv) { return static_cast<int>(softradial::program::run_program(argc, argv)); }
