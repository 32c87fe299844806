#include "seal.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "launch_file.h"

extern "C" void* __libc_stack_end;  // glibc: where the first frame of the program lies

// What the assembly below calls and reads. Slots are the candidate's imports, in the order of their relocations.
extern "C" {
constexpr size_t kAkrtSealSlots = 1024;
__attribute__((visibility("hidden"))) extern const uint8_t akrt_seal_gates[];
__attribute__((visibility("hidden"))) void* akrt_seal_targets[kAkrtSealSlots];
__attribute__((visibility("hidden"))) void akrt_seal_enter(uint64_t* place);
__attribute__((visibility("hidden"))) void akrt_seal_leave(uint64_t* place);
}

namespace akrt::seal {

namespace {

struct Span {
  uint64_t begin;
  uint64_t end;
};

constexpr size_t kGateBytes = 16;
// The heap gets room at once: what it grows by later would be a mapping that nobody sealed.
constexpr int kHeapRoom = 64 << 20;

bool g_armed = false;
bool g_closed = false;
uint64_t g_heap_end = 0;
std::vector<Span> g_spans;
// Where calls that are under way return to, by the address at which the candidate's stack holds it.
std::unordered_map<uint64_t, uint64_t> g_returns;

uint64_t page_of(uint64_t address) { return address & ~uint64_t{4095}; }
uint64_t page_above(uint64_t address) { return page_of(address + 4095); }

void protect(const Span& span, int rights) {
  if (mprotect(reinterpret_cast<void*>(span.begin), span.end - span.begin, rights) == 0) return;
  constexpr char kText[] = "akrun: the runtime's memory cannot be sealed\n";
  const ssize_t n = write(2, kText, sizeof kText - 1);
  _exit(n > 0 ? 70 : 71);
}

uint64_t heap_end() { return reinterpret_cast<uint64_t>(sbrk(0)); }

#if defined(__x86_64__)

// The heap so far. Large blocks lie in it as well, since `prepare`.
Span heap() {
  const uint64_t end = heap_end();
  return {page_of(end - mallinfo2().arena), page_of(end)};
}

// What the main program's stack holds now, and what the scheduler of the cores will need of it.
__attribute__((noinline)) Span stack(uint64_t outermost) {
  constexpr size_t kRoom = 256 << 10;
  volatile uint8_t room[kRoom];
  for (size_t i = 0; i < kRoom; i += 4096) room[i] = 0;  // it exists from here on
  return {page_above(reinterpret_cast<uint64_t>(&room[0])), page_above(outermost)};
}

// Static data of this program and its libraries; what the loader has made read-only stays so.
int add_static_data(dl_phdr_info* info, size_t, void* into) {
  Span relro{0, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_GNU_RELRO)
      relro = {page_of(info->dlpi_addr + part.p_vaddr), page_of(info->dlpi_addr + part.p_vaddr + part.p_memsz)};
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const uint64_t begin = page_of(info->dlpi_addr + part.p_vaddr);
    const uint64_t end = page_above(info->dlpi_addr + part.p_vaddr + part.p_memsz);
    auto* spans = static_cast<std::vector<Span>*>(into);
    const uint64_t after = relro.begin <= begin && relro.end > begin ? relro.end : begin;
    if (after < end) spans->push_back({after, end});
  }
  return 0;
}

struct Dynamic {
  const Elf64_Rela* calls = nullptr;
  size_t call_bytes = 0;
  const Elf64_Rela* others = nullptr;
  size_t other_bytes = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
};

Dynamic dynamic_of(const link_map* object) {
  Dynamic d;
  for (const Elf64_Dyn* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL: d.calls = reinterpret_cast<const Elf64_Rela*>(entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: d.call_bytes = entry->d_un.d_val; break;
      case DT_RELA: d.others = reinterpret_cast<const Elf64_Rela*>(entry->d_un.d_ptr); break;
      case DT_RELASZ: d.other_bytes = entry->d_un.d_val; break;
      case DT_SYMTAB: d.symbols = reinterpret_cast<const Elf64_Sym*>(entry->d_un.d_ptr); break;
      case DT_STRTAB: d.names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
      default: break;
    }
  }
  return d;
}

// Every word of the object that the loader filled with the address of something outside. Block copies stay as they are:
// they write where the candidate tells them to, which the seal is there for.
std::vector<uint64_t*> imports_of(const link_map* object, ObjectRange range) {
  std::vector<uint64_t*> found;
  const Dynamic d = dynamic_of(object);
  const auto add = [&](const Elf64_Rela* first, size_t bytes) {
    for (size_t i = 0; first != nullptr && i < bytes / sizeof(Elf64_Rela); ++i) {
      const auto type = ELF64_R_TYPE(first[i].r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
      const char* name = d.names + d.symbols[ELF64_R_SYM(first[i].r_info)].st_name;
      if (std::strncmp(name, "mem", 3) == 0) continue;
      auto* word = reinterpret_cast<uint64_t*>(object->l_addr + first[i].r_offset);
      if (*word != 0 && (*word < range.begin || *word >= range.end)) found.push_back(word);
    }
  };
  add(d.calls, d.call_bytes);
  add(d.others, d.other_bytes);
  return found;
}

Span pages_of(const uint64_t* word) {
  const auto begin = reinterpret_cast<uint64_t>(word);
  return {page_of(begin), page_above(begin + sizeof *word)};
}

void redirect(const std::vector<uint64_t*>& words) {
  if (words.size() > kAkrtSealSlots) throw RunnerError("the object has more imports than can be sealed");
  for (size_t i = 0; i < words.size(); ++i) {
    akrt_seal_targets[i] = reinterpret_cast<void*>(*words[i]);
    protect(pages_of(words[i]), PROT_READ | PROT_WRITE);  // the loader has made it read-only
    *words[i] = reinterpret_cast<uint64_t>(akrt_seal_gates) + i * kGateBytes;
  }
  // Only when all are changed: several lie in one page. Imports never change again.
  for (const uint64_t* word : words) protect(pages_of(word), PROT_READ);
}

#endif

}  // namespace

#if defined(__x86_64__)

void prepare() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, kHeapRoom);
}

void arm(const std::vector<Object>& objects) {
  std::vector<uint64_t*> words;
  for (const Object& object : objects) {
    const std::vector<uint64_t*> found = imports_of(object.map, object.range);
    words.insert(words.end(), found.begin(), found.end());
  }
  redirect(words);
  g_returns.reserve(256);
  g_spans.reserve(64);
  dl_iterate_phdr(add_static_data, &g_spans);
  std::erase_if(g_spans, [&](const Span& span) {
    return std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
      return span.begin < object.range.end && object.range.begin < span.end;
    });
  });
  g_spans.push_back(stack(reinterpret_cast<uint64_t>(__libc_stack_end)));
  g_spans.push_back(heap());
  g_heap_end = heap_end();
  g_armed = true;
}

#else

void prepare() {}
void arm(const std::vector<Object>&) { throw RunnerError("sealing needs an x86-64 processor"); }

#endif

void close() {
  if (!g_armed || g_closed) return;
  const uint64_t top = heap_end();
  if (top > g_heap_end) {
    g_spans.push_back({page_above(g_heap_end), page_above(top)});
    g_heap_end = top;
  }
  g_closed = true;
  for (const Span& span : g_spans) protect(span, PROT_READ);
}

void open() {
  if (!g_closed) return;
  for (const Span& span : g_spans) protect(span, PROT_READ | PROT_WRITE);
  g_closed = false;
}

bool holds(uint64_t address) {
  if (!g_armed) return false;
  for (const Span& span : g_spans)
    if (address >= span.begin && address < span.end) return true;
  return false;
}

}  // namespace akrt::seal

#if defined(__x86_64__)

extern "C" const uint8_t akrt_seal_after[];

void akrt_seal_enter(uint64_t* place) {
  akrt::seal::open();
  akrt::seal::g_returns[reinterpret_cast<uint64_t>(place)] = *place;
  *place = reinterpret_cast<uint64_t>(akrt_seal_after);
}

void akrt_seal_leave(uint64_t* place) {
  const auto call = akrt::seal::g_returns.find(reinterpret_cast<uint64_t>(place));
  *place = call->second;
  akrt::seal::g_returns.erase(call);
  akrt::seal::close();
}

// A gate for each import. It opens the seal, lets the call return to akrt_seal_after instead of its caller, and jumps to
// what was meant; arguments on the stack stay where they are.
asm(R"(
  .text
  .balign 16
  .hidden akrt_seal_gates
  .globl akrt_seal_gates
akrt_seal_gates:
  .set akrt_seal_slot, 0
  .rept 1024
  .balign 16
  movl $akrt_seal_slot, %r11d
  jmp akrt_seal_common
  .set akrt_seal_slot, akrt_seal_slot + 1
  .endr
  .balign 16
akrt_seal_common:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r11
  subq $136, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  leaq 200(%rsp), %rdi
  call akrt_seal_enter
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %r11
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  leaq akrt_seal_targets(%rip), %r10
  jmpq *(%r10,%r11,8)
  .hidden akrt_seal_after
  .globl akrt_seal_after
akrt_seal_after:
  subq $8, %rsp
  pushq %rax
  pushq %rdx
  subq $40, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  leaq 56(%rsp), %rdi
  call akrt_seal_leave
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  addq $40, %rsp
  popq %rdx
  popq %rax
  ret
)");

#endif
