#include "print.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace akrt {

namespace {

constexpr size_t kMostText = 512;

// Flags, width and precision of a conversion as they stand in the format, as far as they are harmless.
struct Conversion {
  std::string spec;
  char letter = 0;
};

Conversion read(const char*& at) {
  Conversion c;
  c.spec = "%";
  int digits = 0;
  for (; *at != 0; ++at) {
    if (std::strchr("-+ #0.", *at) != nullptr || (*at >= '1' && *at <= '9')) {
      if (++digits <= 6) c.spec += *at;
    } else if (std::strchr("hlzjt", *at) == nullptr) {
      c.letter = *at++;
      break;
    }
  }
  return c;
}

template <typename T>
std::string formatted(const std::string& spec, T value) {
  char text[256];
  std::snprintf(text, sizeof text, spec.c_str(), value);
  return text;
}

uint64_t low_bytes(const PrintValue& v) {
  return v.bytes >= 8 ? v.natural : v.natural & ((uint64_t{1} << (8 * v.bytes)) - 1);
}

// The letter says how an integer is shown; what kind of value it is, the value knows.
std::string shown(const Conversion& c, const PrintValue& v) {
  switch (v.kind) {
    case 'f': return formatted(c.spec + (std::strchr("fFeEgG", c.letter) != nullptr ? c.letter : 'f'), v.real);
    case 's': return v.text == nullptr ? "(null)" : std::string(v.text, strnlen(v.text, kMostText));
    case 'p': return formatted("%p", v.address);
    default: break;
  }
  if (c.letter == 'c') return std::string(1, static_cast<char>(v.integer));
  if (std::strchr("xXou", c.letter) != nullptr)
    return formatted(c.spec + "ll" + c.letter, static_cast<unsigned long long>(low_bytes(v)));
  return v.kind == 'u' ? formatted(c.spec + "llu", static_cast<unsigned long long>(v.natural))
                       : formatted(c.spec + "lld", static_cast<long long>(v.integer));
}

}  // namespace

std::string printed(const char* format, const PrintValue* values, uint32_t count) {
  std::string text;
  uint32_t next = 0;
  for (const char* at = format; *at != 0 && text.size() < kMostText;) {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    const char* start = at++;
    if (*at == '%') {
      text += *at++;
      continue;
    }
    const Conversion c = read(at);
    if (c.letter == 0 || next >= count) text.append(start, static_cast<size_t>(at - start));
    else text += shown(c, values[next++]);
  }
  if (text.size() > kMostText) text.resize(kMostText);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace akrt
