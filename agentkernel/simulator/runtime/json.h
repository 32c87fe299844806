// Just enough JSON to write records.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace akrt {

inline void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u > 0x7e) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", u);
      out += hex;
    } else {
      out += c;
    }
  }
  out += '"';
}

// Builds {"key":value,...} in insertion order.
class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value) {
    name(key);
    append_quoted(body_, value);
    return *this;
  }
  JsonObject& number(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
  JsonObject& real(std::string_view key, double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.6g", value);
    return raw(key, digits);
  }
  JsonObject& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  JsonObject& raw(std::string_view key, std::string_view json) {
    name(key);
    body_ += json;
    return *this;
  }
  std::string str() const { return "{" + body_ + "}"; }

 private:
  void name(std::string_view key) {
    if (!body_.empty()) body_ += ',';
    append_quoted(body_, key);
    body_ += ':';
  }
  std::string body_;
};

}  // namespace akrt
