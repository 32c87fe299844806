// gert::TilingParseContext: runs once for an operator and a platform, before any tiling.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
 public:
  const char* GetCompiledJson() const;
  // The object that the tiling function will get from GetCompileInfo.
  template <class T>
  T* GetCompiledInfo() {
    return static_cast<T*>(CompiledInfo());
  }
  fe::PlatFormInfos* GetPlatformInfo() const;

  explicit TilingParseContext(akhost::Call& call) : ExtendedKernelContext(call) {}

 private:
  void* CompiledInfo();
};

}  // namespace gert
