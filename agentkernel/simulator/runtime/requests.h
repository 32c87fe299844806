// What a vector core asks of the cube core of its block, in order, and what comes back.
#pragma once
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "akrt/abi_matmul.h"
#include "cross_core.h"

namespace akrt {

// Rows and columns of a matrix as it is stored.
struct Extent {
  int32_t rows = 0;
  int32_t columns = 0;
};

struct MatmulRequest {
  enum class Kind : uint8_t { kIterate, kGet, kAll };
  Kind kind = Kind::kAll;
  const char* api = "";
  Site site = nullptr;
  MatmulState state;
  MatmulOut out;
  Extent a, b;            // of the whole stored matrices
  int32_t block = 0;      // kIterate, kGet
  bool partial = false;   // adds to the block that is there

  int32_t blocks_m() const { return (state.single_m + state.tiling.baseM - 1) / state.tiling.baseM; }
  int32_t blocks_n() const { return (state.single_n + state.tiling.baseN - 1) / state.tiling.baseN; }
  int32_t blocks() const { return blocks_m() * blocks_n(); }
};

// What carries out requests on a cube core; `client` is the vector core that asks.
class Server {
 public:
  virtual ~Server() = default;
  // Takes what is left of the core's memories, for requests of vector cores.
  virtual void open(Site site) = 0;
  // Whether there is room for it now.
  virtual bool fits(const MatmulRequest& request, int32_t client) const = 0;
  virtual void run(const MatmulRequest& request, int32_t client) = 0;
};

class Mailbox {
 public:
  // The core's program asks; returns the number of the request, from 1 on.
  int64_t write(MatmulRequest request) {
    written_.push_back(std::move(request));
    return ++writes_;
  }
  int64_t writes() const { return writes_; }
  // The pipe that carries it has come to the oldest one that is still with the core.
  void post(Signal signal) {
    posted_.emplace_back(std::move(written_.front()), std::move(signal));
    written_.pop_front();
  }
  // The oldest that was posted and not taken, or null.
  const MatmulRequest* waiting() const { return posted_.empty() ? nullptr : &posted_.front().first; }
  double waits_since() const { return posted_.front().second.time; }
  std::pair<MatmulRequest, Signal> take() {
    auto first = std::move(posted_.front());
    posted_.pop_front();
    return first;
  }
  // The oldest that was taken and not answered is done.
  void answer(Signal signal) { answers_.push_back(std::move(signal)); }
  bool is_answered(int64_t n) const { return static_cast<int64_t>(answers_.size()) >= n; }
  const Signal& answer_to(int64_t n) const { return answers_[static_cast<size_t>(n - 1)]; }

  // Numbers of the asynchronous requests that WaitIterateAll has to meet, oldest first.
  std::deque<int64_t>& awaited(int32_t object) {
    const auto i = static_cast<size_t>(object);
    if (awaited_.size() <= i) awaited_.resize(i + 1);
    return awaited_[i];
  }

 private:
  int64_t writes_ = 0;
  std::deque<MatmulRequest> written_;
  std::deque<std::pair<MatmulRequest, Signal>> posted_;
  std::vector<Signal> answers_;
  std::vector<std::deque<int64_t>> awaited_;  // by object
};

}  // namespace akrt
