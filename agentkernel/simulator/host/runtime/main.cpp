// akhost: loads host code and asks it one thing: what it defines, a tiling, shapes or element types. Its one argument is
// the path of a request; what came out is written as records. docs/host.md describes both.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

#include "crash.h"
#include "describe.h"
#include "json.h"
#include "platform.h"
#include "register/op_def_registry.h"
#include "registry.h"
#include "request.h"
#include "walls.h"

namespace akhost {

namespace {

using akrt::JsonObject;

constexpr int kFailed = 70;
constexpr size_t kPage = 4096;

int create_file(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  return fd;
}

ObjectRange range_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) throw std::runtime_error("dlinfo failed");
  struct Search {
    uint64_t base;
    ObjectRange range;
  } search{map->l_addr, {map->l_addr, map->l_addr}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* s = static_cast<Search*>(data);
        if (info->dlpi_addr != s->base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            s->range.end = std::max(s->range.end, s->base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        return 1;
      },
      &search);
  return search.range;
}

// Zeroed memory that ends at a guard page: a write beyond the tiling data is caught where it happens.
void* guarded(size_t bytes) {
  const size_t mapped = (bytes + kPage - 1) / kPage * kPage;
  void* base = mmap(nullptr, mapped + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base, mapped, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error("no memory for tiling data");
  return static_cast<uint8_t*>(base) + (mapped - bytes);
}

std::string hex(const uint8_t* data, size_t bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes);
  for (size_t i = 0; i < bytes; ++i) {
    text += kDigits[data[i] >> 4];
    text += kDigits[data[i] & 15];
  }
  return text;
}

class Runner {
 public:
  // Reads the values that the request names, so files must still be allowed.
  Runner(const Request& request, const Records& records) : request_(request), records_(records) {
    fill(call_, request_.op, request_.inputs, request_.outputs, request_.attributes);
    call_.platform = &platform();
    call_.deterministic = request_.deterministic;
  }

  void run() {
    if (request_.action == "describe") {
      set_stage("definition");
      describe(records_);
      return;
    }
    if (const auto found = registry().functions.find(request_.op); found != registry().functions.end())
      functions_ = found->second;
    set_stage("definition");
    if (const ops::OpDefCreator creator = registry().creator(request_.op)) {
      ops::OpDef definition = creator(request_.op.c_str());
      if (functions_.tiling == nullptr) functions_.tiling = definition.aicore.tiling;
      if (functions_.infer_shape == nullptr) functions_.infer_shape = definition.infer_shape;
      if (functions_.infer_datatype == nullptr) functions_.infer_datatype = definition.infer_datatype;
    }
    if (request_.action == "tiling") tiling();
    else if (request_.action == "infer_shape") infer_shape();
    else if (request_.action == "infer_dtype") infer_dtype();
    else throw std::runtime_error("unknown action '" + request_.action + "'");
  }

 private:
  bool missing(bool present) {
    if (!present) records_.write(JsonObject().text("t", "missing").text("what", request_.action).str());
    return !present;
  }

  // Runs what the operator registered for its compile information; false where it failed.
  bool parse() {
    if (functions_.create_info == nullptr) return true;
    set_stage("tiling_parse");
    call_.compile_info = functions_.create_info();
    Call own;
    static char json[] = "{}";
    own.info.type = own.info.name = request_.op;
    own.platform = call_.platform;
    own.compile_info = call_.compile_info;
    own.input_slots = {gert::Chain(json), gert::Chain(call_.platform)};
    own.output_slots = {gert::Chain(const_cast<void*>(call_.compile_info))};
    uint32_t status = 0;
    if (functions_.parse != nullptr) {
      gert::TilingParseContext context(own);
      status = functions_.parse(&context);
    } else {
      gert::KernelContext context(own);
      status = functions_.plain_parse(&context);
    }
    if (status == 0) return true;
    records_.write(JsonObject().text("t", "status").text("stage", stage()).number("status", status).str());
    return false;
  }

  void tiling() {
    if (missing(functions_.tiling != nullptr)) return;
    call_.tiling = std::make_unique<gert::TilingData>(guarded(request_.tiling_capacity), request_.tiling_capacity);
    if (!parse()) return;
    set_stage("tiling");
    gert::TilingContext context(call_);
    const uint32_t status = functions_.tiling(&context);
    set_stage("result");
    const size_t size = call_.tiling->GetDataSize();
    const size_t kept = std::min(size, request_.tiling_capacity);
    JsonObject o;
    o.text("t", "tiling").number("status", status).number("block_dim", call_.blocks);
    o.raw("key", std::to_string(call_.key)).number("size", static_cast<int64_t>(std::min<size_t>(size, INT64_MAX)));
    call_.workspaces.resize(call_.workspace_count);
    o.raw("workspaces", json_list(call_.workspaces, [](std::string& out, size_t v) { out += std::to_string(v); }));
    o.number("schedule_mode", call_.schedule_mode).number("local_memory", call_.local_memory);
    o.flag("atomic", call_.atomic);
    o.text("data", hex(static_cast<const uint8_t*>(call_.tiling->GetData()), kept));
    records_.write(o.str());
  }

  void infer_shape() {
    if (missing(functions_.infer_shape != nullptr)) return;
    set_stage("infer_shape");
    gert::InferShapeContext context(call_);
    const uint32_t status = functions_.infer_shape(&context);
    set_stage("result");
    JsonObject o;
    o.text("t", "shapes").number("status", status);
    o.raw("shapes", json_list(call_.outputs, [](std::string& out, const gert::Tensor* tensor) {
            std::vector<int64_t> dims;
            if (tensor != nullptr)
              for (size_t i = 0; i < std::min(tensor->GetOriginShape().GetDimNum(), gert::Shape::kMaxDimNum); ++i)
                dims.push_back(tensor->GetOriginShape().GetDim(i));
            out += json_list(dims, [](std::string& inner, int64_t dim) { inner += std::to_string(dim); });
          }));
    records_.write(o.str());
  }

  void infer_dtype() {
    if (missing(functions_.infer_datatype != nullptr || functions_.same_datatype)) return;
    set_stage("infer_dtype");
    call_.inferred_types.assign(call_.outputs.size(), ge::DT_UNDEFINED);
    uint32_t status = 0;
    gert::InferDataTypeContext context(call_);
    if (functions_.infer_datatype != nullptr) status = functions_.infer_datatype(&context);
    else for (ge::DataType& type : call_.inferred_types) type = context.GetInputDataType(0);
    set_stage("result");
    JsonObject o;
    o.text("t", "dtypes").number("status", status);
    o.raw("dtypes", json_list(call_.inferred_types,
                              [](std::string& out, ge::DataType type) { out += std::to_string(static_cast<int>(type)); }));
    records_.write(o.str());
  }

  const Request& request_;
  const Records& records_;
  Functions functions_;
  Call call_;
};

void record_exception(const Records& records, const std::exception* error) {
  const std::type_info* type = abi::__cxa_current_exception_type();
  int failed = 0;
  char* readable = type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed);
  JsonObject o;
  o.text("t", "exception").text("stage", stage()).text("type", readable == nullptr ? "unknown" : readable);
  o.text("what", error == nullptr ? "" : error->what());
  o.raw("sites", json_list(sites_of_last_throw(), [](std::string& out, uint64_t v) { out += std::to_string(v); }));
  records.write(o.str());
}

// The readable name of what the loader did not find; empty where it failed for another reason.
std::string missing_symbol(const std::string& why) {
  static const std::string kMark = "undefined symbol: ";
  const size_t begin = why.find(kMark);
  if (begin == std::string::npos) return "";
  const std::string name = why.substr(begin + kMark.size());
  int failed = 0;
  char* readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed);
  return readable == nullptr ? name : readable;
}

int run(const char* path) {
  Request request = read_request(path);
  const Records records(create_file(request.records));
  const int printed = create_file(request.printed);
  static char out_buffer[1 << 12], error_buffer[1 << 10];
  setvbuf(stdout, out_buffer, _IOLBF, sizeof out_buffer);
  setvbuf(stderr, error_buffer, _IOLBF, sizeof error_buffer);
  Runner runner(request, records);
  apply_limits(request.cpu_seconds, request.memory_bytes, request.file_bytes);
  catch_crashes(records, reinterpret_cast<uint64_t>(__builtin_frame_address(0)));
  // What host code prints is kept; what we have to say goes where errors were read from.
  if (dup2(printed, STDOUT_FILENO) < 0 || dup2(printed, STDERR_FILENO) < 0) throw std::runtime_error("dup2 failed");
  allow_loading();
  records.write(JsonObject().text("t", "start").str());
  try {
    void* object = dlopen(request.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) {
      const std::string why = dlerror();
      records.write(JsonObject().text("t", "unloadable").text("why", why).text("symbol", missing_symbol(why)).str());
      return 0;
    }
    set_object(range_of(object));
    allow_running();
    runner.run();
    std::fflush(nullptr);
    records.write(JsonObject().text("t", "end").str());
  } catch (const std::exception& error) {
    std::fflush(nullptr);
    record_exception(records, &error);
  } catch (...) {
    std::fflush(nullptr);
    record_exception(records, nullptr);
  }
  return 0;
}

}  // namespace

}  // namespace akhost

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: akhost REQUEST\n");
    return akhost::kFailed;
  }
  const int errors = dup(STDERR_FILENO);
  try {
    // Destructors of the object must not run behind the end record.
    _exit(akhost::run(argv[1]));
  } catch (const std::exception& e) {
    dprintf(errors, "akhost: %s\n", e.what());
    _exit(akhost::kFailed);
  }
}
