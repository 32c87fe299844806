#include "launch_file.h"

#include <fstream>
#include <sstream>

namespace akrt {

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::stringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

Role role_of(const std::string& word) {
  if (word == "in") return Role::kIn;
  if (word == "out") return Role::kOut;
  if (word == "workspace") return Role::kWorkspace;
  if (word == "tiling") return Role::kTiling;
  throw RunnerError("unknown role '" + word + "'");
}

uint64_t whole(const std::string& word) {
  size_t used = 0;
  const unsigned long long value = std::stoull(word, &used);
  if (used != word.size() || word[0] == '-') throw RunnerError("'" + word + "' is not a whole number");
  return value;
}

int32_t count_of(const std::string& word) {
  const uint64_t value = whole(word);
  if (value < 1 || value > 65535) throw RunnerError("'" + word + "' is not within 1 and 65535");
  return static_cast<int32_t>(value);
}

void set_limit(LaunchFile& file, const std::string& name, uint64_t value) {
  if (name == "cpu_seconds") {
    file.limits.cpu_seconds = value;
  } else if (name == "memory_bytes") {
    file.limits.memory_bytes = value;
  } else if (name == "file_bytes") {
    file.limits.file_bytes = value;
  } else if (name == "instructions") {
    file.config.instruction_limit = value;
  } else {
    throw RunnerError("unknown limit '" + name + "'");
  }
}

void apply(LaunchFile& file, const std::vector<std::string>& w) {
  const auto need = [&](size_t n) {
    if (w.size() != n + 1) throw RunnerError("'" + w[0] + "' takes " + std::to_string(n) + " words");
  };
  const std::string& key = w[0];
  if (key == "gm") {
    need(4);
    file.arguments.push_back({w[1], role_of(w[2]), whole(w[3]), w[4]});
    return;
  }
  if (key == "param") {
    need(2);
    file.params.set(w[1], std::stod(w[2]));
    return;
  }
  if (key == "limit") {
    need(2);
    set_limit(file, w[1], whole(w[2]));
    return;
  }
  need(1);
  if (key == "object") file.object = w[1];
  else if (key == "launcher") file.launcher = w[1];
  else if (key == "records") file.records = w[1];
  else if (key == "timeline") file.timeline = w[1], file.config.timeline = true;
  else if (key == "trace") file.trace = w[1];
  else if (key == "blocks") file.config.blocks = count_of(w[1]);
  else if (key == "cores") file.config.cores = count_of(w[1]);
  else if (key == "autosync") file.config.autosync = whole(w[1]) != 0;
  else if (key == "seed") file.config.seed = whole(w[1]);
  else throw RunnerError("unknown directive '" + key + "'");
}

}  // namespace

LaunchFile read_launch_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw RunnerError("cannot open the launch file " + path);
  LaunchFile file;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    try {
      apply(file, words);
    } catch (const std::exception& e) {
      throw RunnerError(path + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  if (file.object.empty() || file.launcher.empty() || file.records.empty())
    throw RunnerError(path + ": object, launcher and records are required");
  return file;
}

}  // namespace akrt
