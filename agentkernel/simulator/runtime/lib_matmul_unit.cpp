// The loop of a product: parts of A and B in L1, steps of baseK through L0, blocks of C out of L0C.
#include <algorithm>
#include <array>
#include <string>

#include "akrt/abi_core.h"
#include "core.h"
#include "lib_matmul.h"
#include "ops_cube.h"

namespace akrt {

namespace {

using cube::ceil_div;
using cube::round_up;

constexpr uint8_t at(Position p) { return static_cast<uint8_t>(p); }
constexpr uint8_t event(Pipe from, Pipe to) { return static_cast<uint8_t>(event_of(from, to)); }
constexpr uint32_t kTableUnit = 64;  // bytes that the bias table is filled by
constexpr uint8_t kNz = 1, kNdAlign = 5;  // CubeFormat
// TPipe sets these flags of M_MTE1 for the library: two for the halves of L0, one for the bias table.
constexpr int32_t kTableFree = 2;

DType sum_of(DType t) { return t == DType::kInt8 ? DType::kInt32 : DType::kFloat32; }

struct Plan {
  const MatmulRequest& r;
  MatmulSide a, b;
  uint32_t base_m, base_n, base_k;
  uint32_t parts_a, parts_b;    // steps of baseK to a part in L1
  uint32_t places_a, places_b;  // parts that fit

  explicit Plan(const MatmulRequest& request)
      : r(request), a(request.state.a, request.a, true, request.api, request.site),
        b(request.state.b, request.b, false, request.api, request.site) {
    const auto& t = request.state.tiling;
    base_m = static_cast<uint32_t>(t.baseM), base_n = static_cast<uint32_t>(t.baseN), base_k = static_cast<uint32_t>(t.baseK);
    parts_a = base_k % a.unit() == 0 ? static_cast<uint32_t>(t.stepKa) : 1;
    parts_b = base_k % b.unit() == 0 ? static_cast<uint32_t>(t.stepKb) : 1;
    places_a = std::max(1u, static_cast<uint32_t>(t.depthA1) / parts_a);
    places_b = std::max(1u, static_cast<uint32_t>(t.depthB1) / parts_b);
  }
  uint32_t part_a() const { return a.l1_bytes(base_m, base_k * parts_a); }
  uint32_t part_b() const { return b.l1_bytes(base_n, base_k * parts_b); }
  uint32_t bias_bytes() const {
    return r.state.bias.set || r.state.tiling.isBias != 0 ? round_up(base_n * dtype_bytes(r.state.bias.dtype), kTableUnit) : 0;
  }
  uint32_t quant_bytes() const { return r.state.quant_vector.addr != 0 ? round_up(base_n * 8, ops::kBlock) : 0; }
  uint32_t l1_bytes() const { return places_a * part_a() + places_b * part_b() + bias_bytes() + quant_bytes(); }
  uint32_t l0c_bytes() const { return round_up(base_m, cube::kSide) * b.l0_wide(base_n) * 4; }
};

// Parts of one operand that are in L1, oldest first out.
class Parts {
 public:
  Parts(Core& core, const Plan& plan, bool left, const Local& room, const std::array<int32_t, 2>& loaded, int32_t free)
      : core_(core), plan_(plan), side_(left ? plan.a : plan.b), left_(left), loaded_(loaded), free_(free) {
    const uint32_t each = left ? plan.part_a() : plan.part_b();
    for (uint32_t i = 0; i < (left ? plan.places_a : plan.places_b); ++i) {
      Local place = cube::from(room, uint64_t{i} * each);
      place.bytes = each;
      places_.push_back({place});
    }
  }

  struct Place {
    Local room;
    int64_t block = -1, part = -1;
    Tile tile{};
    int32_t flag = -1;  // set when it is there, and not yet waited for
  };
  bool single() const { return places_.size() == 1; }
  bool has(int64_t block, int64_t part) const { return find(block, part) != places_.size(); }

  // Loads the part unless it is there.
  void want(int64_t block, int64_t part) {
    if (has(block, part)) return;
    if (next_ == current_ && !single()) next_ = (next_ + 1) % places_.size();  // what is to be fed next stays
    Place& p = places_[next_];
    next_ = (next_ + 1) % places_.size();
    const MatmulRequest& r = plan_.r;
    const auto base = left_ ? plan_.base_m : plan_.base_n;
    const auto all = static_cast<uint32_t>(left_ ? r.state.single_m : r.state.single_n);
    const uint32_t deep = plan_.base_k * (left_ ? plan_.parts_a : plan_.parts_b);
    const auto wide0 = static_cast<uint32_t>(block) * base, deep0 = static_cast<uint32_t>(part) * deep;
    // Everything that was fed from the place so far is out of it.
    core_.set_flag(event(Pipe::MTE1, Pipe::MTE2), free_, r.api, r.site);
    core_.wait_flag(event(Pipe::MTE1, Pipe::MTE2), free_, r.api, r.site);
    p.block = block, p.part = part;
    p.tile = side_.load(p.room, wide0, std::min(base, all - wide0), deep0,
                        std::min(deep, static_cast<uint32_t>(r.state.single_k) - deep0));
    p.flag = loaded_[turn_++ % 2];
    core_.set_flag(event(Pipe::MTE2, Pipe::MTE1), p.flag, r.api, r.site);
  }
  const Tile& use(int64_t block, int64_t part) {
    want(block, part);
    current_ = find(block, part);
    Place& p = places_[current_];
    if (p.flag >= 0) core_.wait_flag(event(Pipe::MTE2, Pipe::MTE1), p.flag, plan_.r.api, plan_.r.site);
    p.flag = -1;
    return p.tile;
  }

 private:
  size_t find(int64_t block, int64_t part) const {
    size_t i = 0;
    while (i < places_.size() && (places_[i].block != block || places_[i].part != part)) ++i;
    return i;
  }

  Core& core_;
  const Plan& plan_;
  const MatmulSide& side_;
  bool left_;
  std::array<int32_t, 2> loaded_;
  int32_t free_;
  std::vector<Place> places_;
  size_t next_ = 0;
  size_t current_ = 0;
  uint32_t turn_ = 0;
};

// Event ids that are the library's for one request.
class Ids {
 public:
  Ids(Core& core, const char* api, Site site) : core_(core), api_(api), site_(site) {}
  ~Ids() {
    for (const auto& [e, id] : taken_) core_.pipe().release_event(e, id, api_, site_);
  }
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;
  int32_t take(Pipe from, Pipe to) {
    const uint8_t e = event(from, to);
    taken_.push_back({e, core_.pipe().alloc_event(e, api_, site_)});
    return taken_.back().second;
  }
  std::array<int32_t, 2> two(Pipe from, Pipe to) {
    const int32_t first = take(from, to);
    return {first, take(from, to)};
  }

 private:
  Core& core_;
  const char* api_;
  Site site_;
  std::vector<std::pair<uint8_t, int32_t>> taken_;
};

struct Block {
  int32_t index, m, n;      // in the iteration, and its row and column of blocks
  uint32_t rows, columns;   // elements
};

Block block_of(const MatmulRequest& r, int32_t index) {
  const int32_t down = r.blocks_m(), across = r.blocks_n();
  const bool by_rows = r.state.tiling.iterateOrder == 0;
  Block b{index, by_rows ? index % down : index / across, by_rows ? index / down : index % across, 0, 0};
  b.rows = static_cast<uint32_t>(std::min(r.state.tiling.baseM, r.state.single_m - b.m * r.state.tiling.baseM));
  b.columns = static_cast<uint32_t>(std::min(r.state.tiling.baseN, r.state.single_n - b.n * r.state.tiling.baseN));
  return b;
}

// One request on its way through the pipes.
class Run {
 public:
  Run(Core& core, const Plan& plan, const Local& l1, const Local& l0a, const Local& l0b, const Local& table)
      : core_(core), plan_(plan), r_(plan.r), ids_(core, r_.api, r_.site), l0a_(l0a), l0b_(l0b), table_(table),
        a_(core, plan, true, l1, ids_.two(Pipe::MTE2, Pipe::MTE1), ids_.take(Pipe::MTE1, Pipe::MTE2)),
        b_(core, plan, false, cube::from(l1, uint64_t{plan.places_a} * plan.part_a()), ids_.two(Pipe::MTE2, Pipe::MTE1),
           ids_.take(Pipe::MTE1, Pipe::MTE2)),
        fed_(ids_.two(Pipe::MTE1, Pipe::M)), done_(ids_.take(Pipe::M, Pipe::FIX)), out_(ids_.two(Pipe::FIX, Pipe::M)) {
    const auto& t = r_.state.tiling;
    halves_ = t.dbL0A > 1 && t.dbL0B > 1 ? 2 : 1;
    extra_ = cube::from(l1, uint64_t{plan.places_a} * plan.part_a() + uint64_t{plan.places_b} * plan.part_b());
    if (plan.bias_bytes() != 0 && r_.state.bias.set)
      bias_in_ = ids_.take(Pipe::MTE2, Pipe::MTE1), bias_out_ = ids_.take(Pipe::MTE1, Pipe::MTE2);
    if (plan.quant_bytes() != 0) quant_in_ = ids_.take(Pipe::MTE2, Pipe::FIX), quant_out_ = ids_.take(Pipe::FIX, Pipe::MTE2);
  }

  // The block's product into L0C at `c`; `more` is the block that follows, or null.
  void compute(const Block& block, const Local& c, bool partial, int slot, const Block* more) {
    const auto k = static_cast<uint32_t>(r_.state.single_k);
    const uint32_t steps = ceil_div(k, plan_.base_k);
    const bool bias = r_.state.bias.set && !partial;
    if (bias) load_bias(block);
    for (uint32_t s = 0; s < steps; ++s) {
      const Tile& a = a_.use(block.m, s / plan_.parts_a);
      const Tile& b = b_.use(block.n, s / plan_.parts_b);
      if (s + 1 < steps) look_ahead(block, s + 1, block, s);
      else if (more != nullptr) look_ahead(*more, 0, block, s);
      step(block, c, a, b, s, std::min(plan_.base_k, k - s * plan_.base_k), bias, partial, slot);
    }
  }

  void store(const Block& block, const Local& c, int slot) {
    core_.set_flag(event(Pipe::M, Pipe::FIX), done_, r_.api, r_.site);
    core_.wait_flag(event(Pipe::M, Pipe::FIX), done_, r_.api, r_.site);
    Local quant = load_quant(block);
    fix(block, c, quant.bytes != 0 ? &quant : nullptr);
    if (quant.bytes != 0) pair(Pipe::FIX, Pipe::MTE2, quant_out_);
    core_.set_flag(event(Pipe::FIX, Pipe::M), out_[static_cast<size_t>(slot)], r_.api, r_.site);
    leaving_[static_cast<size_t>(slot)] = true;
  }

  void end() {
    for (size_t slot = 0; slot < 2; ++slot) await_out(slot);
  }

 private:
  void pair(Pipe from, Pipe to, int32_t id) {
    core_.set_flag(event(from, to), id, r_.api, r_.site);
    core_.wait_flag(event(from, to), id, r_.api, r_.site);
  }
  void await_out(size_t slot) {
    if (leaving_[slot]) core_.wait_flag(event(Pipe::FIX, Pipe::M), out_[slot], r_.api, r_.site);
    leaving_[slot] = false;
  }
  // Parts that the next step needs, where there is a place beside those of this one.
  void look_ahead(const Block& next, uint32_t s, const Block& now, uint32_t current) {
    const auto ahead = [](Parts& parts, int64_t block, int64_t part, bool same) {
      if (!same && !parts.single()) parts.want(block, part);
    };
    const uint32_t pa = s / plan_.parts_a, pb = s / plan_.parts_b;
    ahead(a_, next.m, pa, next.m == now.m && pa == current / plan_.parts_a);
    ahead(b_, next.n, pb, next.n == now.n && pb == current / plan_.parts_b);
  }

  void step(const Block& block, const Local& c, const Tile& a, const Tile& b, uint32_t s, uint32_t deep, bool bias, bool partial,
            int slot) {
    const int32_t half = halves_ == 2 ? static_cast<int32_t>(turn_++ % 2) : 0;
    core_.wait_flag(event(Pipe::M, Pipe::MTE1), half, r_.api, r_.site);
    Local l0a = part_of(l0a_, half, r_.state.a.dtype), l0b = part_of(l0b_, half, r_.state.b.dtype);
    plan_.a.feed(l0a, a, block.rows, s % plan_.parts_a * plan_.base_k, deep);
    plan_.b.feed(l0b, b, block.columns, s % plan_.parts_b * plan_.base_k, deep);
    Local table = table_;
    table.dtype = sum_of(r_.state.a.dtype);
    const bool first = s == 0;
    if (first && bias) fill_table(block, table);
    pair(Pipe::MTE1, Pipe::M, fed_[static_cast<size_t>(half)]);
    if (first) await_out(static_cast<size_t>(slot));
    MmadCall call;
    call.m = static_cast<uint16_t>(block.rows == 1 ? cube::kSide : block.rows);  // one row would be a vector, which lies differently
    call.n = static_cast<uint16_t>(r_.state.a.dtype == DType::kInt8 ? plan_.b.l0_wide(block.columns) : block.columns);
    call.k = static_cast<uint16_t>(deep), call.k_align = plan_.a.pairs();
    call.zero = first && !bias && !partial;
    akrt_c_mmad(r_.api, c, l0a, l0b, first && bias ? &table : nullptr, call, r_.site);
    if (!core_in_order(call)) core_.pipe_barrier(Pipe::M, r_.api, r_.site);
    core_.set_flag(event(Pipe::M, Pipe::MTE1), half, r_.api, r_.site);
    if (first && bias) core_.set_flag(event(Pipe::M, Pipe::MTE1), kTableFree, r_.api, r_.site);
  }
  // Small products are not ordered behind each other by the unit.
  static bool core_in_order(const MmadCall& call) { return call.m / cube::kSide * (call.n / cube::kSide) >= 10; }
  Local part_of(const Local& all, int32_t half, DType dtype) const {
    Local part = cube::from(all, half == 0 ? 0 : all.bytes / 2);
    part.bytes = all.bytes / static_cast<uint32_t>(halves_), part.dtype = dtype;
    return part;
  }

  // ---- bias: global memory, L1, the table
  void load_bias(const Block& block) {
    const MatmulOperand& bias = r_.state.bias;
    const uint32_t size = dtype_bytes(bias.dtype);
    pair(Pipe::MTE1, Pipe::MTE2, bias_out_);
    load_row(bias_room(), cube::from(bias.at, uint64_t{static_cast<uint32_t>(block.n)} * plan_.base_n * size), block.columns);
    core_.set_flag(event(Pipe::MTE2, Pipe::MTE1), bias_in_, r_.api, r_.site);
  }
  void fill_table(const Block& block, const Local& table) {
    core_.wait_flag(event(Pipe::MTE2, Pipe::MTE1), bias_in_, r_.api, r_.site);
    core_.wait_flag(event(Pipe::M, Pipe::MTE1), kTableFree, r_.api, r_.site);
    const uint32_t units = ceil_div(block.columns * dtype_bytes(r_.state.bias.dtype), kTableUnit);
    akrt_c_copy_table(r_.api, table, bias_room(), 1, units, 0, 0, r_.site);
  }
  Local bias_room() const {
    Local room = extra_;
    room.bytes = plan_.bias_bytes(), room.dtype = r_.state.bias.dtype;
    return room;
  }
  void load_row(const Local& room, const Global& from, uint32_t columns) {
    NzCall call;
    call.matrices = 1, call.rows = 1, call.columns = columns, call.nd_row = 1, call.nz_column = 1;
    akrt_c_load_nz(r_.api, room, from, call, r_.site);
  }

  // ---- results
  Local load_quant(const Block& block) {
    if (quant_in_ < 0) return {};
    Local room = cube::from(extra_, plan_.bias_bytes());
    room.bytes = plan_.quant_bytes(), room.dtype = DType::kUint64;
    // As 32-bit numbers, which the load knows.
    Global from = cube::from(r_.state.quant_vector, uint64_t{static_cast<uint32_t>(block.n)} * plan_.base_n * 8);
    from.dtype = DType::kUint32;
    Local to = room;
    to.dtype = DType::kUint32;
    pair(Pipe::FIX, Pipe::MTE2, quant_out_);
    load_row(to, from, block.columns * 2);
    pair(Pipe::MTE2, Pipe::FIX, quant_in_);
    return room;
  }

  void fix(const Block& block, const Local& c, const Local* quant) {
    const MatmulState& s = r_.state;
    const uint32_t size = dtype_bytes(s.c.dtype);
    const uint32_t per_block = ops::kBlock / size;
    FixpipeCall call;
    call.m = static_cast<uint16_t>(block.rows), call.n = static_cast<uint16_t>(block.columns);
    call.src_stride = static_cast<uint16_t>(round_up(block.rows, cube::kSide));
    call.quant = s.quant, call.scalar = s.quant_scalar, call.relu = s.relu;
    const bool own = r_.out.local || r_.out.sequential;  // a block for itself
    const uint64_t before = r_.kind == MatmulRequest::Kind::kAll && own
                                ? uint64_t{static_cast<uint32_t>(block.index)} * plan_.base_m * plan_.base_n : 0;
    const uint32_t m0 = static_cast<uint32_t>(block.m) * plan_.base_m, n0 = static_cast<uint32_t>(block.n) * plan_.base_n;
    uint64_t offset = before;
    if (s.c.format == kNz) {
      const uint32_t width = size == 1 ? 32 : cube::kSide;
      const uint32_t height = round_up(own ? block.rows : static_cast<uint32_t>(s.org_m), cube::kSide);
      call.row_major = false;
      call.dst_stride = height * width / per_block;
      if (!own) offset = (uint64_t{n0 / width} * height + m0) * width;
    } else {
      const auto all = static_cast<uint32_t>(s.org_kc > 0 ? s.org_kc : s.org_n);
      const bool padded = s.c.format == kNdAlign || r_.out.local;
      const uint32_t row = own ? block.columns : all;
      call.dst_stride = padded ? round_up(row, per_block) : row;
      if (!own) offset = uint64_t{m0} * call.dst_stride + n0;
    }
    akrt_set_atomic(r_.out.atomic, s.c.dtype);
    akrt_c_fixpipe(r_.api, cube::from(r_.out.at, offset * size), c, quant, call, r_.site);
    akrt_set_atomic(kAkrtAtomicNone, s.c.dtype);
  }

  Core& core_;
  const Plan& plan_;
  const MatmulRequest& r_;
  Ids ids_;
  Local l0a_, l0b_, table_, extra_{};
  Parts a_, b_;
  std::array<int32_t, 2> fed_;
  int32_t done_;
  std::array<int32_t, 2> out_;
  int32_t bias_in_ = -1, bias_out_ = -1, quant_in_ = -1, quant_out_ = -1;
  int halves_ = 1;
  uint32_t turn_ = 0;
  std::array<bool, 2> leaving_{};
};

}  // namespace

uint32_t matmul_l1_bytes(const MatmulState& state) {
  MatmulRequest r;
  r.state = state;
  // Of both ways that an operand may be given, the larger.
  uint32_t most = 0;
  for (int way = 0; way < 4; ++way) {
    r.state.a.transposed = (way & 1) != 0 && state.a.may_transpose;
    r.state.b.transposed = (way & 2) != 0 && state.b.may_transpose;
    most = std::max(most, Plan(r).l1_bytes());
  }
  return most;
}

uint32_t matmul_l0c_bytes(const MatmulState& state) {
  MatmulRequest r;
  r.state = state;
  return Plan(r).l0c_bytes();
}

Local MatmulUnit::area(uint8_t position, int64_t bytes, Site site) {
  TPipe& pipe = core_.pipe();
  const Local left = pipe.free_tail(position, false);
  const int32_t id = pipe.init_buf(-1, position, bytes < 0 ? left.bytes : bytes, site);
  return pipe.buf_get(id, 0, -1, site);
}

MatmulUnit& MatmulUnit::of(Core& core) {
  if (core.server() == nullptr) core.server() = std::make_unique<MatmulUnit>(core);
  return static_cast<MatmulUnit&>(*core.server());
}

void MatmulUnit::open(Site site) {
  if (whole_) return;
  whole_ = true;
  l1_ = area(at(Position::A1), -1, site), l0a_ = area(at(Position::A2), -1, site), l0b_ = area(at(Position::B2), -1, site);
  l0c_ = area(at(Position::CO1), -1, site), table_ = area(at(Position::C2), -1, site);
}

void MatmulUnit::take(const MatmulState& state, Site site) {
  const auto object = static_cast<size_t>(state.object);
  if (own_l1_.size() <= object) own_l1_.resize(object + 1), own_l0c_.resize(object + 1);
  if (l0a_.bytes == 0) {
    l0a_ = area(at(Position::A2), -1, site), l0b_ = area(at(Position::B2), -1, site), table_ = area(at(Position::C2), -1, site);
  }
  const uint32_t l1 = matmul_l1_bytes(state);
  const uint32_t l0c = matmul_l0c_bytes(state) * (state.tiling.dbL0C > 1 ? 2 : 1);
  if (own_l1_[object].bytes < l1) own_l1_[object] = area(at(Position::A1), l1, site);
  if (own_l0c_[object].bytes < l0c) own_l0c_[object] = area(at(Position::CO1), l0c, site);
}

Local MatmulUnit::l1_of(const MatmulRequest& r) const { return whole_ ? l1_ : own_l1_[static_cast<size_t>(r.state.object)]; }
Local MatmulUnit::l0c_of(const MatmulRequest& r) const { return whole_ ? l0c_ : own_l0c_[static_cast<size_t>(r.state.object)]; }

const MatmulUnit::Held* MatmulUnit::held(int32_t client, int32_t object) const {
  for (const Held& h : held_)
    if (h.client == client && h.object == object) return &h;
  return nullptr;
}

Local MatmulUnit::room_in_l0c(uint32_t bytes) const {
  for (uint32_t begin = l0c_.addr; begin + bytes <= l0c_.addr + l0c_.bytes;) {
    const auto over = std::find_if(held_.begin(), held_.end(), [&](const Held& h) {
      return h.at.addr < begin + bytes && begin < h.at.addr + h.at.bytes;
    });
    if (over == held_.end()) {
      Local room = l0c_;
      room.addr = begin, room.bytes = bytes;
      return room;
    }
    begin = over->at.addr + over->at.bytes;
  }
  return {};
}

bool MatmulUnit::fits(const MatmulRequest& r, int32_t client) const {
  if (!whole_ || r.kind == MatmulRequest::Kind::kGet || (r.partial && held(client, r.state.object) != nullptr)) return true;
  return room_in_l0c(Plan(r).l0c_bytes()).bytes != 0 || held_.empty();
}

void MatmulUnit::run(const MatmulRequest& r, int32_t client) {
  const Plan plan(r);
  Registers& regs = core_.machine().regs();
  const auto registers = regs.cube;
  regs.cube[kAkrtHf32] = r.state.hf32, regs.cube[kAkrtHf32ToZero] = r.state.hf32_to_zero;
  regs.cube[kAkrtBoundary] = 0, regs.cube[kAkrtRepeatTimes] = 1, regs.cube[kAkrtRepeatMode] = 0;
  {
    Run run(core_, plan, l1_of(r), l0a_, l0b_, table_);
    const Held* before = held(client, r.state.object);
    const uint32_t bytes = plan.l0c_bytes();
    const auto place = [&](uint32_t i) {
      Local room = whole_ ? l0c_ : l0c_of(r);
      if (whole_) room = room_in_l0c(bytes * (i + 1));
      if (room.bytes == 0) return Local{};
      room.addr += i * bytes, room.bytes = bytes, room.dtype = sum_of(r.state.a.dtype);
      return room;
    };
    const auto forget = [&] {
      std::erase_if(held_, [&](const Held& h) { return h.client == client && h.object == r.state.object; });
    };
    switch (r.kind) {
      case MatmulRequest::Kind::kIterate: {
        const Local c = r.partial && before != nullptr ? before->at : place(0);
        const bool adds = r.partial && before != nullptr;
        forget();
        run.compute(block_of(r, r.block), c, adds, 0, nullptr);
        held_.push_back({client, r.state.object, c});
        break;
      }
      case MatmulRequest::Kind::kGet:
        if (before == nullptr) break;
        run.store(block_of(r, r.block), before->at, 0);
        forget();
        break;
      case MatmulRequest::Kind::kAll: {
        forget();
        std::array<Local, 2> c{place(0), r.state.tiling.dbL0C > 1 ? place(1) : Local{}};
        const int32_t slots = c[1].bytes != 0 ? 2 : 1;
        for (int32_t i = 0; i < r.blocks(); ++i) {
          const Block block = block_of(r, i);
          const Block more = block_of(r, std::min(i + 1, r.blocks() - 1));
          const int slot = i % slots;
          run.compute(block, c[static_cast<size_t>(slot)], false, slot, i + 1 < r.blocks() ? &more : nullptr);
          run.store(block, c[static_cast<size_t>(slot)], slot);
        }
      }
    }
    run.end();
  }
  regs.cube = registers;
}

}  // namespace akrt
