// The record file: JSON, one object a line, each written with one call.
#pragma once
#include <string>
#include <string_view>

namespace akhost {

// A list as JSON, each element by `write(out, element)`.
template <class List, class Write>
std::string json_list(const List& list, Write write) {
  std::string out = "[";
  for (const auto& element : list) {
    if (out.size() > 1) out += ',';
    write(out, element);
  }
  return out + "]";
}

class Records {
 public:
  explicit Records(int file) : file_(file) {}
  // Throws std::runtime_error where it cannot be written.
  void write(std::string_view line) const;
  int file() const { return file_; }

 private:
  int file_;
};

}  // namespace akhost
