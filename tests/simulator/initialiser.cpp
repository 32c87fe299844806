// A candidate that acts while it is being loaded.
#include <fcntl.h>
#include <sys/syscall.h>

extern "C" long syscall(long, ...);

namespace {
__attribute__((constructor)) void early() { syscall(SYS_openat, AT_FDCWD, "stolen", O_WRONLY | O_CREAT, 0600); }
}  // namespace

extern "C" void good(void**) {}
