// Every throw of the process, also those inside the C++ library, comes through here on its way to the real one. A file of
// its own: the compiler declares this function by itself wherever something is thrown, with types of its choice.
#include <dlfcn.h>

#include <cstdlib>

#include "crash.h"

extern "C" [[noreturn]] void __cxa_throw(void* object, void* type, void (*destructor)(void*)) {
  using Throw = void (*)(void*, void*, void (*)(void*));
  static const auto real = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
  akhost::note_throw();
  real(object, type, destructor);
  std::abort();
}
