// ge::Operator: what the signature of a check function names. Graph compilation is not simulated, so nothing calls one.
#pragma once
#include <string>
#include <vector>

#include "graph/tensor.h"

namespace ge {

class Operator {
 public:
  Operator() = default;
  explicit Operator(const char* type) : type_(type) {}
  Operator(const char* name, const char* type) : name_(name), type_(type) {}

  graphStatus GetName(AscendString& name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  graphStatus GetOpType(AscendString& type) const {
    type = type_;
    return GRAPH_SUCCESS;
  }
  size_t GetInputsSize() const { return 0; }
  size_t GetOutputsSize() const { return 0; }
  TensorDesc GetInputDesc(uint32_t) const { return TensorDesc(); }
  TensorDesc GetOutputDesc(uint32_t) const { return TensorDesc(); }
  TensorDesc GetInputDescByName(const char*) const { return TensorDesc(); }
  TensorDesc GetOutputDescByName(const char*) const { return TensorDesc(); }
  template <class T>
  graphStatus GetAttr(const char*, T&) const {
    return GRAPH_FAILED;
  }

 private:
  AscendString name_;
  AscendString type_;
};

}  // namespace ge
