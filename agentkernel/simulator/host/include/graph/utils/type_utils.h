// Names and sizes of element types and formats.
#pragma once
#include <cstdint>
#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class TypeUtils {
 public:
  // Bytes of one element; false (and `length` as it was) where a type has none.
  static bool GetDataTypeLength(DataType type, uint32_t& length);
  static bool IsDataTypeValid(DataType type);
  static bool IsFormatValid(Format format);
  // "DT_FLOAT16", "DT_BFLOAT16", ...; "UNDEFINED" where there is no such type.
  static std::string DataTypeToSerialString(DataType type);
  static DataType SerialStringToDataType(const std::string& name);
  // "ND", "NCHW", ...
  static std::string FormatToSerialString(Format format);
  static Format SerialStringToFormat(const std::string& name);
  static AscendString DataTypeToAscendString(const DataType& type);
  static AscendString FormatToAscendString(const Format& format);
};

}  // namespace ge
