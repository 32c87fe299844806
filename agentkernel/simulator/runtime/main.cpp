// akrun: runs one candidate once. See PROTOCOL.md.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "crash.h"
#include "gm_map.h"
#include "json.h"
#include "launch_file.h"
#include "sandbox.h"
#include "seal.h"

namespace {

constexpr int kRunnerFailed = 70;

// Writes all of `text`; the record file is the only channel, so failing to write is the runner's failure.
void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n <= 0) {
      std::fprintf(stderr, "akrun: cannot write records: %s\n", std::strerror(errno));
      _exit(kRunnerFailed);
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
}

class FileSink : public akrt::Sink {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  void watch(const akrt::Launch& launch) { launch_ = &launch; }

  // From here on the process is the candidate's: whatever ends it is no failure of the runner.
  void start() { write(akrt::JsonObject().text("t", "start").str()); }

  void write(std::string_view line) override {
    // One call a record, so that a crash between records leaves whole lines.
    std::string text(line);
    text += '\n';
    write_all(fd_, text);
  }

  void stop() override {
    akrt::JsonObject end;
    end.text("t", "end").flag("completed", false);
    end.number("instructions", launch_ == nullptr ? 0 : static_cast<int64_t>(launch_->instructions()));
    write(end.str());
    _exit(0);
  }

 private:
  int fd_;
  const akrt::Launch* launch_ = nullptr;
};

int create_file(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) throw akrt::RunnerError("cannot write " + path + ": " + std::strerror(errno));
  return fd;
}

link_map* map_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) throw akrt::RunnerError("dlinfo failed");
  return map;
}

akrt::ObjectRange range_of(const link_map* map) {
  struct Search {
    uint64_t base;
    akrt::ObjectRange range;
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

// The object of one type of core.
struct Image {
  void (*launcher)(void**) = nullptr;
  const link_map* map = nullptr;
  akrt::ObjectRange range;
};

Image load(const std::string& path, const std::string& launcher) {
  if (path.empty()) return {};
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw akrt::RunnerError(dlerror());
  auto* function = reinterpret_cast<void (*)(void**)>(dlsym(object, launcher.c_str()));
  if (function == nullptr) throw akrt::RunnerError(dlerror());
  return {function, map_of(object), range_of(map_of(object))};
}

// Waits until the outputs hold their poison.
void wait_until_ready(int fd) {
  char byte = 0;
  ssize_t n = 0;
  do n = read(fd, &byte, 1);
  while (n < 0 && errno == EINTR);
  close(fd);
  if (n != 1) throw akrt::RunnerError("the outputs were not prepared");
}

int run(const char* path) {
  const akrt::LaunchFile file = akrt::read_launch_file(path);
  if (file.sealed) akrt::seal::prepare();
  const int records = create_file(file.records);
  const int timeline = file.timeline.empty() ? -1 : create_file(file.timeline);
  const int trace = file.trace.empty() ? -1 : create_file(file.trace);
  FileSink sink(records);
  akrt::Launch launch(file.config, file.params, sink);
  sink.watch(launch);
  // Written line by line: whatever ends the launch, the trace reaches to there.
  if (trace >= 0) launch.keep_trace([trace](std::string_view line) { write_all(trace, std::string(line) + '\n'); });
  // As late as possible: the first output waits, and what is mapped before it is mapped meanwhile.
  bool ready = file.ready < 0;
  const auto before_output = [&] {
    if (!ready) wait_until_ready(file.ready);
    ready = true;
  };
  std::vector<void*> arguments = akrt::map_arguments(launch.regions(), file.arguments, before_output);
  if (file.user_workspace >= 0) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (file.arguments[i].role != akrt::Role::kWorkspace) continue;
      launch.set_sys_workspace(arguments[i]);
      arguments[i] = static_cast<uint8_t*>(arguments[i]) + file.user_workspace;
    }
  }

  akrt::apply_limits(file.limits);
  akrt::catch_crashes(launch, {}, records);
  akrt::allow_loading();
  const Image vector = load(file.object, file.launcher);
  const Image cube = load(file.cube_object, file.launcher);
  launch.findings().sites().set_object(vector.range.begin, vector.range.end);
  launch.findings().sites().set_object(cube.range.begin, cube.range.end, akrt::CoreType::kCube);
  akrt::catch_crashes(launch, {vector.range, cube.range}, records);
  std::vector<akrt::seal::Object> sealed;
  for (const Image& image : {vector, cube})
    if (image.map != nullptr) sealed.push_back({image.map, image.range});
  if (file.sealed) akrt::seal::arm(sealed);
  akrt::allow_running();

  sink.start();
  launch.run([&] {
    const bool on_cube = akrt::Machine::current().core_type() == akrt::CoreType::kCube;
    auto* const launcher = (on_cube ? cube : vector).launcher;
    akrt::seal::close();
    launcher(arguments.data());
    akrt::seal::open();
  });
  launch.finish();
  if (timeline >= 0) write_all(timeline, launch.clock().timeline_json(launch.findings().sites()));
  // Destructors of the candidate's object must not run after the end record.
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: akrun LAUNCH_FILE\n");
    return kRunnerFailed;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "akrun: %s\n", e.what());
    return kRunnerFailed;
  }
}
