#include "shadow.h"

#include <bit>

namespace akrt {

Shadow::Shadow(uint64_t bytes, uint32_t page_bytes)
    : bytes_(bytes),
      page_bytes_(page_bytes),
      shift_(std::countr_zero(page_bytes)),
      pages_((bytes + page_bytes - 1) / page_bytes) {}

void Shadow::reset() {
  for (Page& page : pages_) {
    page.cell = {};
    if (page.parts != nullptr) page.parts->clear();
  }
}

size_t Shadow::cut(std::vector<Segment>& parts, uint32_t at) {
  const auto it = std::upper_bound(parts.begin(), parts.end(), at, [](uint32_t v, const Segment& s) { return v < s.end; });
  const auto index = static_cast<size_t>(it - parts.begin());
  const uint32_t start = index == 0 ? 0 : parts[index - 1].end;
  if (start == at) return index;
  const Segment head{at, it->cell};
  parts.insert(it, head);
  return index + 1;
}

void Shadow::melt(Page& page, size_t first, size_t last) {
  std::vector<Segment>& parts = *page.parts;
  size_t out = first == 0 ? 0 : first - 1;
  const size_t stop = std::min(last + 1, parts.size());
  for (size_t i = out + 1; i < stop; ++i) {
    if (parts[i].cell == parts[out].cell) {
      parts[out].end = parts[i].end;
    } else if (++out != i) {
      parts[out] = parts[i];
    }
  }
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(out) + 1, parts.begin() + static_cast<std::ptrdiff_t>(stop));
  if (parts.size() == 1) {
    page.cell = parts[0].cell;
    parts.clear();
  }
}

}  // namespace akrt
