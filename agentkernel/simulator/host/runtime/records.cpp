#include "records.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace akhost {

void Records::write(std::string_view line) const {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n <= 0) throw std::runtime_error(std::string("cannot write records: ") + std::strerror(errno));
    rest.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace akhost
