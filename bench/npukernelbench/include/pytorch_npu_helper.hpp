// What the benchmark's bindings need of the card's torch helper: EXEC_NPU_CMD records its arguments.
//
// Every argument becomes a pair (kind, value) of Python objects and goes to the recorder of the process
// (agentkernel/bench/npukernelbench/recorder.py), which either stops the call or fills the outputs from a finished run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/types.h>

namespace agentkernel_npukb {

namespace py = pybind11;

/// A list or scalar that the card's helper would own; it lives as long as the process, which is one case.
struct Handle {
    py::object argument;
};

inline py::tuple pair(const char *kind, py::object value)
{
    return py::make_tuple(kind, std::move(value));
}

inline const char *dtype_name(at::ScalarType type)
{
    return at::toString(type);
}

inline py::object scalar(const at::Scalar &value)
{
    const at::ScalarType type = value.type();
    if (value.isBoolean()) {
        return py::make_tuple(py::cast(value.toBool()), dtype_name(type));
    }
    if (value.isFloatingPoint()) {
        return py::make_tuple(py::cast(value.toDouble()), dtype_name(type));
    }
    if (value.isComplex()) {
        return py::make_tuple(py::cast(value.toComplexDouble().real()), dtype_name(type));
    }
    return py::make_tuple(py::cast(value.toLong()), dtype_name(type));
}

inline py::tuple argument(const at::Tensor &tensor)
{
    return pair("tensor", tensor.defined() ? py::cast(tensor) : py::none());
}

inline py::tuple argument(const c10::optional<at::Tensor> &tensor)
{
    return tensor.has_value() ? argument(*tensor) : pair("tensor", py::none());
}

inline py::tuple argument(const at::TensorList &tensors)
{
    py::list items;
    for (const at::Tensor &tensor : tensors) {
        items.append(py::cast(tensor));
    }
    return pair("tensors", items);
}

inline py::tuple argument(const std::vector<at::Tensor> &tensors)
{
    return argument(at::TensorList(tensors));
}

inline py::tuple argument(const at::Scalar &value)
{
    return pair("scalar", scalar(value));
}

inline py::tuple argument(const at::ArrayRef<at::Scalar> &values)
{
    py::list items;
    for (const at::Scalar &value : values) {
        items.append(scalar(value));
    }
    return pair("scalars", items);
}

inline py::tuple argument(const std::vector<at::Scalar> &values)
{
    return argument(at::ArrayRef<at::Scalar>(values));
}

inline py::tuple argument(const at::IntArrayRef &values)
{
    return pair("ints", py::cast(values.vec()));
}

inline py::tuple argument(const std::vector<int64_t> &values)
{
    return pair("ints", py::cast(values));
}

inline py::tuple argument(const at::OptionalIntArrayRef &values)
{
    return values.has_value() ? argument(*values) : pair("ints", py::none());
}

inline py::tuple argument(const std::vector<double> &values)
{
    return pair("floats", py::cast(values));
}

inline py::tuple argument(const at::ScalarType &type)
{
    return pair("dtype", py::cast(std::string(dtype_name(type))));
}

inline py::tuple argument(const std::string &text)
{
    return pair("string", py::cast(text));
}

inline py::tuple argument(const char *text)
{
    return pair("string", py::cast(std::string(text)));
}

inline py::tuple argument(bool value)
{
    return pair("bool", py::cast(value));
}

template <class T>
inline std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, py::tuple> argument(T value)
{
    return pair("int", py::cast(static_cast<int64_t>(value)));
}

template <class T>
inline std::enable_if_t<std::is_floating_point_v<T>, py::tuple> argument(T value)
{
    return pair("float", py::cast(static_cast<double>(value)));
}

inline py::tuple argument(Handle *handle)
{
    return handle == nullptr ? pair("absent", py::none()) : py::tuple(handle->argument);
}

inline Handle *keep(py::tuple argument)
{
    return new Handle{std::move(argument)};
}

template <class... Arguments>
void execute(const char *name, Arguments &&...arguments)
{
    py::list items;
    (items.append(argument(arguments)), ...);
    py::module_::import("agentkernel_npukb_recorder").attr("execute")(name, items);
}

}  // namespace agentkernel_npukb

using aclIntArray = agentkernel_npukb::Handle;
using aclFloatArray = agentkernel_npukb::Handle;
using aclBoolArray = agentkernel_npukb::Handle;
using aclScalar = agentkernel_npukb::Handle;
using aclScalarList = agentkernel_npukb::Handle;

/// The card's form of a list, a scalar or a tensor.
template <class T>
inline agentkernel_npukb::Handle *ConvertType(const T &value)
{
    return agentkernel_npukb::keep(agentkernel_npukb::argument(value));
}

/// A scalar from a tensor of one element.
inline aclScalar *ConvertTensorToAclScaler(const at::Tensor &tensor)
{
    namespace py = pybind11;
    const auto value = agentkernel_npukb::scalar(tensor.item());
    const char *type = agentkernel_npukb::dtype_name(tensor.scalar_type());
    return agentkernel_npukb::keep(
        agentkernel_npukb::pair("scalar", py::make_tuple(py::tuple(value)[0], type)));
}

#define EXEC_NPU_CMD(name, ...) agentkernel_npukb::execute(#name, __VA_ARGS__)
