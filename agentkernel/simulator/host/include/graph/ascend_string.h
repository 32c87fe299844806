// ge::AscendString: a string that may cross library boundaries.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  AscendString(const char* text) : text_(text == nullptr ? "" : text) {}  // NOLINT: implicit by intent
  AscendString(const char* text, size_t length) : text_(text == nullptr ? "" : std::string(text, length)) {}

  const char* GetString() const { return text_.c_str(); }
  size_t GetLength() const { return text_.size(); }
  size_t Find(const AscendString& other) const { return text_.find(other.text_); }
  size_t Hash() const { return std::hash<std::string>()(text_); }

  bool operator<(const AscendString& o) const { return text_ < o.text_; }
  bool operator>(const AscendString& o) const { return text_ > o.text_; }
  bool operator<=(const AscendString& o) const { return text_ <= o.text_; }
  bool operator>=(const AscendString& o) const { return text_ >= o.text_; }
  bool operator==(const AscendString& o) const { return text_ == o.text_; }
  bool operator!=(const AscendString& o) const { return text_ != o.text_; }
  bool operator==(const char* o) const { return o != nullptr && text_ == o; }
  bool operator!=(const char* o) const { return !(*this == o); }

 private:
  std::string text_;
};

}  // namespace ge
