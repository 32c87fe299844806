// expect: host-no-operator
// An operator of another name.
// category: decoy
#include "honest.h"
namespace ops {
class Other : public OpDef {
public:
    explicit Other(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(Honest).AddConfig("ascend910b");
    }
};
OP_ADD(Other);
}
