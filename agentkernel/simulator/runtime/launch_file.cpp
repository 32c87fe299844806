#include "launch_file.h"

#include <fstream>
#include <sstream>
#include <string_view>

namespace akrt {

namespace {

constexpr std::string_view kInherited = "fd:";

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::stringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

uint64_t whole(const std::string& word) {
  size_t used = 0;
  const unsigned long long value = std::stoull(word, &used);
  if (used != word.size() || word[0] == '-') throw RunnerError("'" + word + "' is not a whole number");
  return value;
}

// NAME ROLE BYTES PATH, as of `gm` and `member`
GmArgument argument_of(const std::vector<std::string>& w) {
  GmArgument argument;
  argument.name = w[1];
  argument.bytes = whole(w[3]);
  argument.path = w[4];
  const std::string& role = w[2];
  if (role == "in") argument.role = Role::kIn;
  else if (role == "out") argument.role = Role::kOut;
  else if (role == "inout") argument.role = Role::kInOut;
  else if (role == "workspace") argument.role = Role::kWorkspace;
  else if (role == "tiling") argument.role = Role::kTiling;
  else if (role == "null") argument.form = Form::kNull;
  else if (role == "alias") argument.form = Form::kAlias;
  else if (role == "list") argument.form = Form::kList, argument.role = Role::kTiling;
  else throw RunnerError("unknown role '" + role + "'");
  return argument;
}

// fd:N
int descriptor_of(const std::string& word) {
  if (!word.starts_with(kInherited)) throw RunnerError("'" + word + "' is no inherited descriptor");
  return static_cast<int>(whole(word.substr(kInherited.size())));
}

std::vector<int64_t> dims_of(const std::string& word) {
  std::vector<int64_t> dims;
  std::stringstream in(word);
  for (std::string part; std::getline(in, part, ',');) dims.push_back(static_cast<int64_t>(whole(part)));
  return dims;
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
    file.arguments.push_back(argument_of(w));
    return;
  }
  if (key == "member") {
    need(5);
    if (file.arguments.empty() || file.arguments.back().form != Form::kList)
      throw RunnerError("a member belongs to the list before it");
    auto& members = file.arguments.back().members;
    members.push_back(argument_of(w));
    if (w[5] != "-") members.back().dims = dims_of(w[5]);
    return;
  }
  if (key == "group") {
    need(2);
    const uint64_t cubes = whole(w[1]), vectors = whole(w[2]);
    if (cubes > 1 || vectors > 2 || cubes + vectors == 0) throw RunnerError("there is no such group of cores");
    file.config.group = {static_cast<int32_t>(cubes), static_cast<int32_t>(vectors)};
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
  else if (key == "cube_object") file.cube_object = w[1];
  else if (key == "launcher") file.launcher = w[1];
  else if (key == "records") file.records = w[1];
  else if (key == "timeline") file.timeline = w[1], file.config.timeline = true;
  else if (key == "trace") file.trace = w[1];
  else if (key == "scheduled") file.config.scheduled = whole(w[1]) != 0;
  else if (key == "sealed") file.sealed = whole(w[1]) != 0;
  else if (key == "ready") file.ready = descriptor_of(w[1]);
  else if (key == "user_workspace") file.user_workspace = static_cast<int64_t>(whole(w[1]));
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
  const Group& group = file.config.group;
  if (file.object.empty() != (group.vectors == 0) || file.cube_object.empty() != (group.cubes == 0))
    throw RunnerError(path + ": every type of core in the group needs its object, and no other has one");
  if (file.launcher.empty() || file.records.empty()) throw RunnerError(path + ": launcher and records are required");
  return file;
}

}  // namespace akrt
