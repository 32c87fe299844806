#include "request.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "platform.h"

namespace akhost {

namespace {

using Words = std::vector<std::string>;

Words split(const std::string& line, char separator) {
  Words words;
  std::stringstream in(line);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

std::vector<int64_t> wholes(const std::string& word) {
  std::vector<int64_t> values;
  for (const std::string& part : split(word, ',')) values.push_back(std::stoll(part));
  return values;
}

std::string unhex(const std::string& word) {
  std::string text;
  for (size_t i = 0; i + 1 < word.size(); i += 2) text += static_cast<char>(std::stoi(word.substr(i, 2), nullptr, 16));
  return text;
}

// attr NAME KIND VALUE
GivenAttribute attribute(const Words& w) {
  GivenAttribute a;
  a.name = w.at(1);
  a.kind = w.at(2);
  const std::string value = w.size() > 3 ? w[3] : "";
  if (a.kind == "bool" || a.kind == "int") a.whole = std::stoll(value);
  else if (a.kind == "float") a.real = std::stod(value);
  else if (a.kind == "string") a.text = unhex(value);
  else if (a.kind == "list_bool" || a.kind == "list_int") a.wholes = wholes(value);
  else if (a.kind == "list_float") for (const std::string& part : split(value, ',')) a.reals.push_back(std::stod(part));
  else if (a.kind == "list_list_int") for (const std::string& row : split(value, ';')) a.lists.push_back(wholes(row));
  else throw std::runtime_error("unknown kind of attribute '" + a.kind + "'");
  return a;
}

// input|output FORM, where FORM is one, absent or list
GivenParameter parameter(const Words& w) {
  GivenParameter p;
  p.dynamic = w.at(1) == "list";
  p.absent = w.at(1) == "absent";
  return p;
}

// tensor TYPE FORMAT DATA [DIMS]
GivenTensor tensor(const Words& w) {
  GivenTensor t;
  t.type = static_cast<ge::DataType>(std::stoi(w.at(1)));
  t.format = static_cast<ge::Format>(std::stoi(w.at(2)));
  t.data_path = w.at(3);
  if (w.size() > 4) t.dims = wholes(w[4]);
  return t;
}

class Reader {
 public:
  void apply(const Words& w) {
    const std::string& key = w.at(0);
    if (key == "input" || key == "output") {
      auto& list = key == "input" ? request_.inputs : request_.outputs;
      list.push_back(parameter(w));
      current_ = &list;
    } else if (key == "tensor") {
      if (current_ == nullptr) throw std::runtime_error("a tensor belongs to an input or output");
      current_->back().tensors.push_back(tensor(w));
    } else if (key == "attr") {
      request_.attributes.push_back(attribute(w));
    } else if (key == "platform") {
      platform_[w.at(1)][w.at(2)] = w.at(3);
    } else if (key == "core_type") {
      core_type_ = w.at(1);
    } else {
      set(key, w.at(1));
    }
  }

  Request finish() {
    for (auto& [label, values] : platform_) platform().SetPlatformRes(label, values);
    platform().SetCoreNumByCoreType(core_type_);
    return request_;
  }

 private:
  void set(const std::string& key, const std::string& value) {
    if (key == "object") request_.object = value;
    else if (key == "records") request_.records = value;
    else if (key == "printed") request_.printed = value;
    else if (key == "action") request_.action = value;
    else if (key == "op") request_.op = value;
    else if (key == "tiling_capacity") request_.tiling_capacity = std::stoull(value);
    else if (key == "deterministic") request_.deterministic = std::stoi(value);
    else if (key == "cpu_seconds") request_.cpu_seconds = std::stoull(value);
    else if (key == "memory_bytes") request_.memory_bytes = std::stoull(value);
    else if (key == "file_bytes") request_.file_bytes = std::stoull(value);
    else throw std::runtime_error("unknown directive '" + key + "'");
  }

  Request request_;
  std::vector<GivenParameter>* current_ = nullptr;
  std::map<std::string, std::map<std::string, std::string>> platform_;
  std::string core_type_ = "VectorCore";
};

}  // namespace

Request read_request(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open the request " + path);
  Reader reader;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      reader.apply(split(line, '\t'));
    } catch (const std::exception& e) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  return reader.finish();
}

}  // namespace akhost
