// Who wrote and who read each byte of a memory last.
//
// Memory is cut into pages. A page whose bytes share one history is one cell; a page that was accessed in parts holds a
// sorted list of segments, so that the record is byte-precise and a contiguous tile costs one step a page. Segments with
// equal histories melt together again.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace akrt {

// An executed instruction, as a cell remembers it. `tick` counts the instructions of its pipe from 1; 0 is nobody.
struct Stamp {
  static constexpr uint8_t kAtomic = 1;    // atomic store
  static constexpr uint8_t kAutoSync = 2;  // scalar-side call that the compiler synchronises
  static constexpr uint8_t kUndefined = 4; // left bytes without a defined value
  uint32_t tick = 0;
  uint32_t seq = 0;     // order of issue in its core's program
  uint32_t source = 0;  // index into Sources
  uint16_t core = 0;
  uint8_t pipe = 0;
  uint8_t flags = 0;
};

struct Cell {
  Stamp writer;
  std::array<Stamp, 3> readers;  // since the last write, one per (core, pipe) as far as they fit

  // `covered(r)`: the new reader comes after r, so that who waits for the new one need not wait for r.
  template <typename F>
  void read_by(const Stamp& s, F&& covered) {
    for (Stamp& r : readers) {
      if (r.tick == 0 || (r.core == s.core && r.pipe == s.pipe && (r.flags & Stamp::kAtomic) == 0)) {
        r = s;
        return;
      }
    }
    for (Stamp& r : readers) {
      if (covered(r)) {
        r = s;
        return;
      }
    }
    // Two other readers stay: enough to find a reader of another core for any writer that nothing orders.
    readers.back() = s;
  }

  void written_by(const Stamp& s) {
    writer = s;
    readers = {};
  }

  bool operator==(const Cell& other) const { return std::memcmp(this, &other, sizeof(Cell)) == 0; }
};
static_assert(sizeof(Cell) == 64, "cells are compared bytewise");

class Shadow {
 public:
  Shadow(uint64_t bytes, uint32_t page_bytes);

  uint64_t bytes() const { return bytes_; }
  void reset();

  // Calls f(cell, begin, end) for the cells that cover [begin, end), which may change them. Cells are split at the
  // range's ends.
  template <typename F>
  void visit(uint64_t begin, uint64_t end, F&& f) {
    while (begin < end) {
      const uint64_t base = begin & ~uint64_t{page_bytes_ - 1};
      const uint64_t page_end = std::min(base + page_bytes_, bytes_);
      const uint64_t stop = std::min(end, page_end);
      Page& page = pages_[begin >> shift_];
      if (page.split() || begin != base || stop != page_end) {
        visit_part(page, static_cast<uint32_t>(page_end - base), static_cast<uint32_t>(begin - base),
                   static_cast<uint32_t>(stop - base),
                   [&](Cell& c, uint32_t b, uint32_t e) { f(c, base + b, base + e); });
      } else {
        f(page.cell, begin, stop);
      }
      begin = stop;
    }
  }

 private:
  struct Segment {
    uint32_t end;
    Cell cell;
  };
  struct Page {
    Cell cell;                                    // history of the whole page while it is not split
    std::unique_ptr<std::vector<Segment>> parts;  // kept, empty, after the parts have melted
    bool split() const { return parts != nullptr && !parts->empty(); }
  };

  // Index of the first segment that ends after `at`, split so that it begins there.
  static size_t cut(std::vector<Segment>& parts, uint32_t at);
  static void melt(Page& page, size_t first, size_t last);

  template <typename F>
  static void visit_part(Page& page, uint32_t page_len, uint32_t begin, uint32_t end, F&& f) {
    if (!page.split()) {
      if (page.parts == nullptr) page.parts = std::make_unique<std::vector<Segment>>();
      page.parts->push_back({page_len, page.cell});
    }
    std::vector<Segment>& parts = *page.parts;
    const size_t first = cut(parts, begin);
    const size_t last = end == page_len ? parts.size() : cut(parts, end);
    uint32_t at = begin;
    for (size_t i = first; i < last; ++i) {
      f(parts[i].cell, at, parts[i].end);
      at = parts[i].end;
    }
    melt(page, first, last);
  }

  uint64_t bytes_;
  uint32_t page_bytes_;
  int shift_;
  std::vector<Page> pages_;
};

}  // namespace akrt
