// The cores of a launch, one fiber each. A core runs until its program ends or it waits for another core; then the next
// one runs. No other call switches, so that a launch is repeatable.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "akrt/abi.h"
#include "fiber.h"

namespace akrt {

class Core;
class Launch;
class Machine;

// What a core waits for that only other cores can bring about.
struct CoreWait {
  const char* api = "";  // static string
  Site site = nullptr;
  std::string what;      // completes "waits for", where `lacking` alone does not say it
  std::function<bool()> ready;
  std::function<std::vector<int32_t>()> lacking;  // cores that have not done their part
  std::function<void()> hangs{};  // called where the wait never ends; empty: nothing has to be done
};

class Cores {
 public:
  explicit Cores(Launch& launch);
  ~Cores();

  // Runs `program` once per core: in ascending order, or in one permuted by the seed, which is drawn anew each time
  // that all cores have had their turn.
  void run(const std::function<void()>& program);

  // From the running core's program: comes back when `wait.ready()`. Others run meanwhile. Where none can, the launch
  // ends as a deadlock.
  void await(CoreWait wait);

  // Whether the core's program has come to its end.
  bool ended(int32_t block) const;
  // A core that has begun and not ended, or null.
  Core* live(int32_t block) const;

 private:
  struct Lane;

  void turn(Lane& lane, const std::function<void()>& program);
  [[noreturn]] void deadlock();
  void shuffle(std::vector<int32_t>& order);

  Launch& launch_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Lane>> lanes_;   // by core
  std::vector<std::unique_ptr<Fiber>> idle_;   // of ended cores
  Lane* running_ = nullptr;
};

}  // namespace akrt
