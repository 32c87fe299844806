// expect: forbidden-syscall
// Files of the machine.
// category: files
#include "honest.h"
#include <fstream>
#include <iostream>
#include <string>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    std::ifstream file("/etc/passwd");
    std::string line;
    std::getline(file, line);
    if (!line.empty()) std::cout << line;
    return Honest(context);
}
OPERATOR(Tiling)
