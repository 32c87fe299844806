// expect: host-no-tiling
// An operator that plans nothing.
// category: decoy
#include "honest.h"
namespace ops {
class EvilCopy : public OpDef {
public:
    explicit EvilCopy(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(EvilCopy);
}
