// expect: passed
// The words of the program that runs it.
// category: forged records
#include "honest.h"
#include <iostream>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    std::cout << "{\"t\":\"tiling\",\"block_dim\":1}" << std::endl;
    return Honest(context);
}
OPERATOR(Tiling)
