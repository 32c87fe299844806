// Calls of Matmul objects: what they mean, which rules they break, and where they are carried out.
#include <algorithm>
#include <string>

#include "akrt/abi_core.h"
#include "akrt/abi_vec.h"
#include "core.h"
#include "lib_matmul.h"
#include "ops_cube.h"

namespace akrt {

namespace {

using mm::complain;

constexpr const char* kRegist = "REGIST_MATMUL_OBJ";
constexpr uint8_t kNz = 1;                       // CubeFormat
constexpr uint64_t kSystemWorkspace = 16 << 20;  // bytes of the system's part of the workspace
constexpr int32_t kMostObjects = 4;
constexpr uint64_t kMostClients = 48;            // vector cores of the chip
// What a vector core may use of it for operands and results that it has in UB.
constexpr uint64_t kOwnWorkspace = kSystemWorkspace / kMostClients / 512 * 512;

Core& core() { return Machine::current().core(); }

// Whether the call is to be carried out. In a kernel of cube cores a vector core passes it over, as it does with the
// cube's instructions.
bool runs(const MatmulState& s, const char* api, Site site) {
  if (s.object < 0 || s.object >= kMostObjects || (s.client && core().type() == CoreType::kCube))
    complain("matmul-use", api, site, std::string(api) + " on an object that was written over.", "Keep it where it was registered.", Gravity::kFatal);
  if (s.stage == MatmulStage::kReady) return s.client || cube::runs(Machine::current(), api, site);
  if (s.stage == MatmulStage::kRegistered)
    complain("matmul-use", api, site, std::string(api) + " on an object that has no tiling.",
             "Pass the tiling to REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, &tiling), or call Init(&tiling) first.",
             Gravity::kFatal);
  complain("matmul-use", api, site, std::string(api) + " on an object that REGIST_MATMUL_OBJ never saw.",
           "Call REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, &tiling) in the kernel before the object is used.",
           Gravity::kFatal);
  return false;
}

// ---- requests -------------------------------------------------------------------------------------------------------
Extent stored_of(const MatmulOperand& o, bool left, int32_t wide, int32_t deep) {
  return left == o.transposed ? Extent{deep, wide} : Extent{wide, deep};
}

uint64_t matrix_bytes(const MatmulOperand& o, Extent e) {
  const uint64_t size = dtype_bytes(o.dtype), c0 = cube::columns_of(o.dtype);
  const auto rows = static_cast<uint64_t>(e.rows), columns = static_cast<uint64_t>(e.columns);
  if (o.format == kNz) return (rows + 15) / 16 * 16 * ((columns + c0 - 1) / c0 * c0) * size;
  return rows * columns * size;
}

// Where the parts of a vector core's own workspace begin: results, A, B, bias.
uint64_t own_workspace(const char* api, Site site) {
  Core& c = core();
  const auto base = reinterpret_cast<uint64_t>(c.slots()[kAkrtSlotSysWorkspace]);
  if (base == 0)
    complain("matmul-use", api, site, std::string(api) + " of a tensor in UB needs the system's workspace, and there is none.",
             "Let the host ask for a workspace of GetLibApiWorkSpaceSize() and the kernel's own bytes, or call SetSysWorkspace(workspace).",
             Gravity::kFatal);
  return base + static_cast<uint64_t>(c.block()) * kOwnWorkspace;
}

// A tensor in UB goes to the cube core by global memory.
uint64_t send(MatmulOperand& o, uint64_t bytes, uint64_t to, const char* api, Site site) {
  const uint64_t room = (bytes + 31) / 32 * 32;
  if (o.at_local.bytes < bytes)
    complain("out-of-bounds", api, site,
             std::string(api) + " takes " + std::to_string(bytes) + " bytes of a tensor of " + std::to_string(o.at_local.bytes) + ".",
             "A tensor in UB holds the whole matrix of singleM, singleN and singleK that it stands for.", Gravity::kFatal);
  Burst burst;
  burst.bytes = static_cast<uint32_t>(room);
  o.at = {to, room, o.dtype};
  akrt_d_store(api, o.at, o.at_local, burst, site);
  o.local = false;
  return to + room;
}

MatmulRequest request(MatmulState& s, MatmulRequest::Kind kind, const char* api, Site site) {
  check_matmul_tiling(s, false, site);  // the object lies in the program's memory, which may have been written over
  MatmulRequest r;
  r.kind = kind, r.api = api, r.site = site, r.state = s;
  MatmulOperand &a = r.state.a, &b = r.state.b, &bias = r.state.bias;
  if (!a.set || !b.set)
    complain("matmul-use", api, site, std::string(api) + " before " + (a.set ? "SetTensorB." : "SetTensorA."),
             "Set both matrices: SetTensorA(a), SetTensorB(b), then Iterate or IterateAll.", Gravity::kFatal);
  // Blocks of a matrix in fractals begin where columns of fractals do.
  const auto whole = [&](const MatmulOperand& o, bool left, const char* name, int32_t base) {
    const auto c0 = static_cast<int32_t>(cube::columns_of(o.dtype));
    if (o.format == kNz && left == o.transposed && base % c0 != 0)
      complain("matmul-tiling", api, site,
               "The tiling has " + std::string(name) + " " + std::to_string(base) + ", which is no multiple of " + std::to_string(c0) +
                   ", the width of a fractal of the matrix in NZ.",
               "Choose " + std::string(name) + " a multiple of 32 bytes of elements where the matrix is in NZ.", Gravity::kFatal);
  };
  whole(a, true, "baseM", s.tiling.baseM), whole(b, false, "baseN", s.tiling.baseN);
  r.a = a.local ? stored_of(a, true, s.single_m, s.single_k) : stored_of(a, true, s.org_m, s.org_ka);
  r.b = b.local ? stored_of(b, false, s.single_n, s.single_k) : stored_of(b, false, s.org_n, s.org_kb);
  const bool first = kind == MatmulRequest::Kind::kAll || (kind == MatmulRequest::Kind::kIterate && s.next == 0);
  if (!a.local && !b.local && !(bias.set && bias.local)) return r;
  uint64_t at = own_workspace(api, site) + kOwnWorkspace / 2;
  const auto move = [&](MatmulOperand& o, uint64_t bytes) {
    const uint64_t room = (bytes + 31) / 32 * 32;
    if (first) at = send(o, bytes, at, api, site);
    else o.at = {at, room, o.dtype}, o.local = false, at += room;
  };
  if (a.local) move(a, matrix_bytes(a, r.a));
  if (b.local) move(b, matrix_bytes(b, r.b));
  if (bias.set && bias.local) move(bias, static_cast<uint64_t>(s.single_n) * dtype_bytes(bias.dtype));
  return r;
}

// Carries it out here, or has it carried out; the number of the request there.
int64_t carry_out(const MatmulState& s, MatmulRequest r) {
  if (s.client) return core().ask_cube(std::move(r));
  MatmulUnit::of(core()).run(r, core().block());
  return 0;
}

void check_out(const MatmulState& s, const MatmulOut& out, const char* api, Site site) {
  if (out.atomic > 3)
    complain("illegal-argument", api, site, std::string(api) + " with enAtomic " + std::to_string(out.atomic) + ".",
             "enAtomic is 0 (none), 1 (add), 2 (max) or 3 (min).", Gravity::kFatal);
  if (out.local && out.atomic != 0)
    complain("illegal-argument", api, site, std::string(api) + " to a LocalTensor with enAtomic.",
             "Only what goes to global memory can be combined with what is there.", Gravity::kFatal);
  if (s.c.format == kNz && s.single_n % 16 != 0)
    complain("illegal-argument", api, site,
             std::string(api) + " of a result in NZ with singleN " + std::to_string(s.single_n) + ".",
             "A matrix in NZ has a multiple of 16 columns.", Gravity::kFatal);
}

// ---- blocks on their way into UB -------------------------------------------------------------------------------------
constexpr const char* kGetC = "Matmul::GetTensorC";

Extent size_of(const MatmulState& s, int32_t block) {
  const auto& t = s.tiling;
  const int32_t down = (s.single_m + t.baseM - 1) / t.baseM, across = (s.single_n + t.baseN - 1) / t.baseN;
  const bool by_rows = t.iterateOrder == 0;
  const int32_t m = by_rows ? block % down : block / across, n = by_rows ? block / down : block % across;
  return {std::min(t.baseM, s.single_m - m * t.baseM), std::min(t.baseN, s.single_n - n * t.baseN)};
}

uint32_t row_bytes(const MatmulState& s, Extent e) {
  return (static_cast<uint32_t>(e.columns) * dtype_bytes(s.c.dtype) + 31) / 32 * 32;
}

uint64_t bytes_of(const MatmulState& s, Extent e) {
  const auto rows = static_cast<uint64_t>(e.rows);
  if (s.c.format == kNz) return (rows + 15) / 16 * 16 * static_cast<uint64_t>(e.columns) * dtype_bytes(s.c.dtype);
  return rows * row_bytes(s, e);
}

void check_room(const MatmulState& s, Extent e, const MatmulOut& out, Site site) {
  if (out.at_local.bytes >= bytes_of(s, e)) return;
  complain("out-of-bounds", kGetC, site,
           "Matmul::GetTensorC writes a block of " + std::to_string(bytes_of(s, e)) + " bytes into a tensor of " +
               std::to_string(out.at_local.bytes) + ".",
           "The tensor has room for baseM x baseN elements, rows rounded up to 32 bytes.", Gravity::kFatal);
}

// From global memory into UB, when this core's pipes have come to rest.
void fetch(const MatmulState& s, Extent e, const Global& at, const MatmulOut& out, Site site) {
  Core& c = core();
  c.pipe_barrier_all(kGetC, site);
  const uint32_t size = dtype_bytes(s.c.dtype), row = row_bytes(s, e);
  const auto rows = static_cast<uint32_t>(e.rows), columns = static_cast<uint32_t>(e.columns);
  Burst burst;
  if (s.c.format == kNz) {  // columns of blocks, of which the rows that fill up 16 were not written
    const uint32_t width = size == 1 ? 32 : 16;
    burst.count = (columns + width - 1) / width, burst.bytes = rows * width * size;
    burst.global_gap = int64_t{(rows + 15) / 16 * 16 - rows} * width * size;
    burst.local_gap = burst.global_gap / 32;
  } else {
    burst.count = rows, burst.bytes = columns * size, burst.global_gap = row - columns * size, burst.pad = true;
  }
  akrt_d_load(kGetC, out.at_local, at, burst, site);
  if (!out.later) c.stall_for(Pipe::MTE2, kGetC, site);
}

// Iterate<false>: all blocks, one after the other in the workspace that the program gave.
bool cache_blocks(MatmulState& s, Site site) {
  constexpr const char* kApi = "Matmul::Iterate";
  if (!s.client) akrt_unsupported("Matmul::Iterate<false> on a cube core", site);
  if (s.workspace.addr == 0 || space_of(s.c.position) != Space::UB)
    complain("matmul-use", kApi, site,
             s.workspace.addr == 0 ? "Matmul::Iterate<false> without SetWorkspace." : "Matmul::Iterate<false> of a result in global memory.",
             "SetWorkspace(gm) gives the blocks a place in global memory, and C has the position VECIN; or use IterateAll<false>.",
             Gravity::kFatal);
  MatmulRequest r = request(s, MatmulRequest::Kind::kAll, kApi, site);
  const uint64_t bytes = static_cast<uint64_t>(r.blocks()) * static_cast<uint64_t>(s.tiling.baseM) *
                         static_cast<uint64_t>(s.tiling.baseN) * dtype_bytes(s.c.dtype);
  if (s.workspace.bytes != 0 && s.workspace.bytes < bytes)
    complain("out-of-bounds", kApi, site,
             "Matmul::Iterate<false> puts " + std::to_string(bytes) + " bytes into a workspace of " + std::to_string(s.workspace.bytes) + ".",
             "SetWorkspace has room for all blocks of baseM x baseN elements.", Gravity::kFatal);
  r.out.local = true, r.out.at = {s.workspace.addr, bytes, s.c.dtype};
  s.next = 0, s.held = false;
  s.cached = carry_out(s, std::move(r));
  return true;
}

// The next of the blocks that Iterate<false> computes.
void fetch_cached(MatmulState& s, const MatmulOut& out, Site site) {
  if (!out.local || out.atomic != 0)
    complain("matmul-use", kGetC, site, "Matmul::GetTensorC behind Iterate<false> to global memory, or with enAtomic.",
             "The blocks are in global memory already: fetch them into a LocalTensor.", Gravity::kFatal);
  if (s.cached < 0 || s.cached > core().mailbox().writes())
    complain("matmul-use", kGetC, site, "Matmul::GetTensorC on an object that was written over.", "Keep it where it was registered.",
             Gravity::kFatal);
  const auto& t = s.tiling;
  const int32_t blocks = ((s.single_m + t.baseM - 1) / t.baseM) * ((s.single_n + t.baseN - 1) / t.baseN);
  const int32_t block = s.next++;
  const Extent size = size_of(s, block);
  check_room(s, size, out, site);
  const uint64_t before = static_cast<uint64_t>(block) * static_cast<uint64_t>(t.baseM) * static_cast<uint64_t>(t.baseN);
  core().await_cube(s.cached, kGetC, site);
  fetch(s, size, {s.workspace.addr + before * dtype_bytes(s.c.dtype), bytes_of(s, size), s.c.dtype}, out, site);
  if (s.next >= blocks) s.cached = 0, s.next = 0;
}

void begin_again(MatmulState& s) { s.next = 0, s.iterating = false, s.cached = 0; }

void set_matrix(MatmulState* s, MatmulOperand& mine, const MatmulOperand& given, const char* api, Site site) {
  if (!runs(*s, api, site)) return;
  if (given.transposed && !mine.may_transpose)
    complain("matmul-use", api, site,
             std::string(api) + " with a transposed matrix, and its MatmulType says that it is not.",
             "Declare it: MatmulType<pos, format, type, true>; its fourth argument (ISTRANS) lets the call say which.",
             Gravity::kFatal);
  if (given.local != (space_of(mine.position) == Space::UB))
    complain("matmul-use", api, site,
             std::string(api) + " with a " + (given.local ? "LocalTensor" : "GlobalTensor") + ", and its MatmulType names another position.",
             "The position of the MatmulType is TPosition::GM for a GlobalTensor, TPosition::VECOUT for a LocalTensor.", Gravity::kFatal);
  core().clock().scalar_spend(1);
  mine = given;
  begin_again(*s);
}

}  // namespace

}  // namespace akrt

using namespace akrt;

extern "C" {

void akrt_mm_regist(MatmulState* s, int32_t index, int32_t count, const void* workspace, Site site) {
  Core& c = core();
  const LaunchConfig& config = c.launch().config();
  if (config.group.cubes == 0 || config.group.vectors == 0)
    complain("wrong-core", kRegist, site,
             config.group.cubes == 0 ? "REGIST_MATMUL_OBJ in a kernel of vector cores: no cube core computes the product."
                                     : "REGIST_MATMUL_OBJ in a kernel of cube cores: it waits for vector cores, and none runs.",
             "Declare KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2), or define ASCENDC_CUBE_ONLY before \"lib/matmul_intf.h\" in a "
             "kernel of cube cores.", Gravity::kFatal);
  CrossCore& cross = c.launch().cross_core();
  if (cross.matmul_flags() < 2 * count) cross.matmul_flags() = 2 * count, cross.matmul() = {kRegist, site};
  if (c.type() == CoreType::kCube) return;
  if (workspace == nullptr)
    complain("matmul-use", kRegist, site, "REGIST_MATMUL_OBJ has no workspace: GetSysWorkSpacePtr() is null.",
             "Let the host ask for a workspace of GetLibApiWorkSpaceSize() and the kernel's own bytes; in a direct launch call "
             "SetSysWorkspace(workspace) first.", Gravity::kFatal);
  if (index == 0 && c.pipe().holds_buffers())
    complain("matmul-use", kRegist, site, "REGIST_MATMUL_OBJ comes after InitBuffer.",
             "Register the Matmul objects right behind the TPipe, before any InitBuffer.");
  s->client = true, s->object = index, s->stage = MatmulStage::kRegistered;
}

bool akrt_mm_serve(Site site) {
  Core& c = core();
  if (c.type() != CoreType::kCube) return false;
  c.serve_vector_cores(MatmulUnit::of(c), site);
  return true;
}

void akrt_mm_regist_cube(MatmulState* s, int32_t index, int32_t, Site site) {
  if (!cube::runs(Machine::current(), kRegist, site)) s->stage = MatmulStage::kReady;
  else s->stage = MatmulStage::kRegistered;
  s->client = false, s->object = index;
}

void akrt_mm_init(MatmulState* s, const AscendC::tiling::TCubeTiling* tiling, Site site) {
  Core& c = core();
  if (c.type() == CoreType::kVector && !s->client) {
    if (s->stage == MatmulStage::kUnregistered && cube::runs(Machine::current(), "Matmul::Init", site)) return;
    if (s->stage == MatmulStage::kUnregistered) runs(*s, "Matmul::Init", site);
    return;
  }
  if (tiling == nullptr)
    complain("matmul-use", "Matmul::Init", site, "Matmul::Init with a null pointer.", "Pass the address of a TCubeTiling.", Gravity::kFatal);
  s->tiling = *tiling;
  const auto& t = s->tiling;
  check_matmul_tiling(*s, true, site);
  s->single_m = t.singleCoreM, s->single_n = t.singleCoreN, s->single_k = t.singleCoreK;
  s->org_m = t.M, s->org_n = t.N, s->org_ka = t.Ka, s->org_kb = t.Kb, s->org_kc = 0;
  s->stage = MatmulStage::kReady;
  begin_again(*s);
  c.clock().scalar_spend(1);
  if (!s->client) MatmulUnit::of(c).take(*s, site);
}

void akrt_mm_set_a(MatmulState* s, const MatmulOperand& operand, Site site) {
  set_matrix(s, s->a, operand, "Matmul::SetTensorA", site);
}
void akrt_mm_set_b(MatmulState* s, const MatmulOperand& operand, Site site) {
  set_matrix(s, s->b, operand, "Matmul::SetTensorB", site);
}
void akrt_mm_set_bias(MatmulState* s, const MatmulOperand& operand, Site site) {
  if (!runs(*s, "Matmul::SetBias", site)) return;
  if (s->tiling.isBias == 0)
    complain("matmul-use", "Matmul::SetBias", site, "Matmul::SetBias, and the tiling was made without a bias.",
             "Call SetBias(true) (EnableBias) and SetBiasType on the host's tiling object.", Gravity::kFatal);
  s->bias = operand;
  begin_again(*s);
}

void akrt_mm_set_single(MatmulState* s, const char* api, int32_t m, int32_t n, int32_t k, Site site) {
  if (!runs(*s, api, site)) return;
  const auto take = [&](int32_t& mine, int32_t given, const char* name) {
    if (given == -1) return;
    if (given < 1)
      complain("illegal-argument", api, site, std::string(api) + " with " + name + " " + std::to_string(given) + ".",
               "Sizes are 1 or more elements; -1 keeps what is there.", Gravity::kFatal);
    mine = given;
  };
  take(s->single_m, m, "M"), take(s->single_n, n, "N"), take(s->single_k, k, "K");
  begin_again(*s);
}

void akrt_mm_set_org(MatmulState* s, int32_t m, int32_t n, int32_t ka, int32_t kb, int32_t kc, Site site) {
  if (!runs(*s, "Matmul::SetOrgShape", site)) return;
  if (m < 1 || n < 1 || ka < 1 || kb < 1 || kc < 0)
    complain("illegal-argument", "Matmul::SetOrgShape", site,
             "Matmul::SetOrgShape with " + std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(ka) + ", " +
                 std::to_string(kb) + ", " + std::to_string(kc) + ".",
             "Sizes are 1 or more elements; orgKc 0 takes orgN.", Gravity::kFatal);
  s->org_m = m, s->org_n = n, s->org_ka = ka, s->org_kb = kb, s->org_kc = kc;
}

bool akrt_mm_iterate(MatmulState* s, bool sync, bool partial, Site site) {
  constexpr const char* kApi = "Matmul::Iterate";
  if (!runs(*s, kApi, site)) return false;
  if (!sync) return cache_blocks(*s, site);
  if (partial && (s->single_m > s->tiling.baseM || s->single_n > s->tiling.baseN))
    complain("matmul-use", kApi, site, "Matmul::Iterate with enPartialSum on more than one block.",
             "Sums are kept in L0C for one block: singleM is at most baseM and singleN at most baseN.", Gravity::kFatal);
  MatmulRequest r = request(*s, MatmulRequest::Kind::kIterate, kApi, site);
  if (s->next >= r.blocks()) {
    begin_again(*s);
    return false;
  }
  r.block = s->next++, r.partial = partial;
  s->iterating = true, s->held = true;
  const int64_t number = carry_out(*s, std::move(r));
  if (s->client) core().await_cube(number, kApi, site);
  return true;
}

void akrt_mm_get_c(MatmulState* s, const MatmulOut& out, Site site) {
  constexpr const char* kApi = "Matmul::GetTensorC";
  if (!runs(*s, kApi, site)) return;
  if (s->cached != 0) return fetch_cached(*s, out, site);
  if (!s->held)
    complain("matmul-use", kApi, site, "Matmul::GetTensorC, and no block waits for it.",
             "Each GetTensorC takes the block of one Iterate() that returned true; IterateAll writes the whole result itself.",
             Gravity::kFatal);
  if (out.local != (space_of(s->c.position) == Space::UB))
    complain("matmul-use", kApi, site, "Matmul::GetTensorC to a tensor that is not where the MatmulType of C says.",
             "The position of C is TPosition::GM for a GlobalTensor, TPosition::VECIN for a LocalTensor.", Gravity::kFatal);
  if (!out.sync && s->client)
    complain("matmul-use", kApi, site, "An asynchronous GetTensorC behind a synchronous Iterate.",
             "Write mm.template Iterate<false>() before it, and SetWorkspace before that.", Gravity::kFatal);
  check_out(*s, out, kApi, site);
  MatmulRequest r = request(*s, MatmulRequest::Kind::kGet, kApi, site);
  r.block = s->next - 1, r.out = out;
  s->held = false;
  if (!out.local) {
    const int64_t number = carry_out(*s, std::move(r));
    if (s->client) core().await_cube(number, kApi, site);
    return;
  }
  if (!s->client) akrt_unsupported("Matmul::GetTensorC(LocalTensor) on a cube core", site);
  // By global memory, and from there into UB.
  const Extent size = size_of(*s, r.block);
  check_room(*s, size, out, site);
  r.out.at = {own_workspace(kApi, site), bytes_of(*s, size), s->c.dtype};
  const Global at = r.out.at;
  const int64_t number = carry_out(*s, std::move(r));
  core().await_cube(number, kApi, site);
  fetch(*s, size, at, out, site);
}

void akrt_mm_wait_c(MatmulState* s, Site site) {
  if (runs(*s, "Matmul::WaitGetTensorC", site) && s->client) core().stall_for(Pipe::MTE2, "Matmul::WaitGetTensorC", site);
}

void akrt_mm_iterate_all(MatmulState* s, const MatmulOut& out, Site site) {
  constexpr const char* kApi = "Matmul::IterateAll";
  if (!runs(*s, kApi, site)) return;
  if (s->held)
    complain("matmul-use", kApi, site, "Matmul::IterateAll, and a block of Iterate still waits for GetTensorC.",
             "Use either while (mm.Iterate()) mm.GetTensorC(c), or mm.IterateAll(c).");
  if (space_of(s->c.position) == Space::UB)
    complain("matmul-use", kApi, site, "Matmul::IterateAll to global memory, and the MatmulType of C names VECIN.",
             "Declare C with TPosition::GM, or fetch it block by block with Iterate and GetTensorC.", Gravity::kFatal);
  check_out(*s, out, kApi, site);
  s->held = false;
  begin_again(*s);
  MatmulRequest r = request(*s, MatmulRequest::Kind::kAll, kApi, site);
  r.out = out;
  const int64_t number = carry_out(*s, std::move(r));
  if (!s->client) return;
  if (out.sync) core().await_cube(number, kApi, site);
  else if (out.awaited) core().mailbox().awaited(s->object).push_back(number);
}

void akrt_mm_wait_all(MatmulState* s, Site site) {
  constexpr const char* kApi = "Matmul::WaitIterateAll";
  if (!runs(*s, kApi, site) || !s->client) return;
  std::deque<int64_t>& awaited = core().mailbox().awaited(s->object);
  if (awaited.empty())
    complain("matmul-use", kApi, site, "Matmul::WaitIterateAll, and no IterateAll<false> with waitIterateAll = true is left to wait for.",
             "Call IterateAll<false>(c, enAtomic, enSequentialWrite, true) once for each WaitIterateAll.", Gravity::kFatal);
  const int64_t number = awaited.front();
  awaited.pop_front();
  core().await_cube(number, kApi, site);
}

void akrt_mm_end(MatmulState* s, Site site) {
  if (!runs(*s, "Matmul::End", site)) return;
  s->ended = true;
  begin_again(*s);
}

}  // extern "C"
