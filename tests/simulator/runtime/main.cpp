// Runs the named cases, or all; `--list` prints their names.
#include <cstring>

#include "check.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const check::Case& c : check::cases()) std::cout << c.name << "\n";
    return 0;
  }
  int ran = 0;
  for (const check::Case& c : check::cases()) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], c.name) == 0;
    if (!wanted) continue;
    ++ran;
    try {
      c.body();
    } catch (const std::exception& e) {
      check::fail(c.name, 0, std::string("threw ") + e.what());
    }
  }
  if (ran == 0) check::fail("main", 0, "no such case");
  return check::failures() == 0 ? 0 : 1;
}
