// One call of an operator: what a request asks for, laid out as the contexts hand it to host code.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"

namespace akhost {

// A tensor of the request.
struct GivenTensor {
  ge::DataType type = ge::DT_UNDEFINED;
  ge::Format format = ge::FORMAT_ND;
  std::string data_path;  // "-": the host does not see the values
  std::vector<int64_t> dims;
};

// An input or output of the definition. Absent: an optional one that the call leaves out.
struct GivenParameter {
  bool dynamic = false;
  bool absent = false;
  std::vector<GivenTensor> tensors;
};

// An attribute's value; `kind` says which member holds it.
struct GivenAttribute {
  std::string name;
  std::string kind;  // bool int float string list_bool list_int list_float list_list_int
  int64_t whole = 0;
  double real = 0;
  std::string text;
  std::vector<int64_t> wholes;
  std::vector<double> reals;
  std::vector<std::vector<int64_t>> lists;
};

// What the contexts read and write. Members are set up once and then keep their addresses.
struct Call {
  gert::ComputeNodeInfo info;
  std::vector<gert::Tensor*> inputs;   // by instance; null where an optional one is absent
  std::vector<gert::Tensor*> outputs;
  std::vector<gert::Chain> input_slots;
  std::vector<gert::Chain> output_slots;
  std::deque<gert::Tensor> tensors;    // owns them
  std::vector<std::vector<uint8_t>> data;
  std::vector<ge::DataType> inferred_types;
  std::deque<gert::Range<gert::Shape>> input_ranges, output_ranges;

  // Attributes: the bytes, and what points to them.
  std::deque<std::vector<uint8_t>> attribute_bytes;
  std::vector<std::unique_ptr<uint8_t[]>> vectors;
  std::deque<std::vector<const uint8_t*>> rows;
  std::deque<gert::ContinuousVectorVector> lists;
  std::unique_ptr<gert::RuntimeAttrs> attrs;

  // Tiling.
  fe::PlatFormInfos* platform = nullptr;
  const void* compile_info = nullptr;
  std::unique_ptr<gert::TilingData> tiling;
  int32_t deterministic = 0;
  uint64_t key = 0;
  uint32_t blocks = 0;
  uint32_t aicpu_blocks = 0;
  uint32_t schedule_mode = 0;
  uint32_t local_memory = 0;
  int32_t condition = 0;
  bool atomic = false;
  std::vector<size_t> workspaces;
  size_t workspace_count = 0;

  gert::Tensor* instance(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
};

// Fills a call. Tensors that the host may see are read from their files. Throws std::runtime_error.
void fill(Call& call, const std::string& type, const std::vector<GivenParameter>& inputs,
          const std::vector<GivenParameter>& outputs, const std::vector<GivenAttribute>& attributes);

}  // namespace akhost
