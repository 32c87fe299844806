// A test framework of one page: TEST registers a function, CHECK records a failure with its place and values.
#pragma once
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& text) {
  ++failures();
  std::cerr << file << ":" << line << ": " << text << "\n";
}

template <typename A, typename B>
void equal(const A& a, const B& b, const char* words, const char* file, int line) {
  if (a == b) return;
  std::ostringstream text;
  text << words << "\n  left:  " << a << "\n  right: " << b;
  fail(file, line, text.str());
}

}  // namespace check

#define TEST(name)                                          \
  static void test_##name();                                \
  static const check::Register reg_##name{#name, test_##name}; \
  static void test_##name()
#define CHECK(condition) \
  if (!(condition)) check::fail(__FILE__, __LINE__, #condition)
#define CHECK_EQ(a, b) check::equal((a), (b), #a " == " #b, __FILE__, __LINE__)
