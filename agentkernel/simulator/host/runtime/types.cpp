// Sizes and names of element types and formats.
#include <array>
#include <string_view>

#include "graph/tensor.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"

namespace ge {

namespace {

struct TypeRow {
  int type;
  int size;  // bytes; above kDataTypeSizeBitOffset bits; -1: none
  const char* name;
};

constexpr int kBits = kDataTypeSizeBitOffset;
constexpr TypeRow kTypes[] = {
    {DT_FLOAT, 4, "DT_FLOAT"},
    {DT_FLOAT16, 2, "DT_FLOAT16"},
    {DT_INT8, 1, "DT_INT8"},
    {DT_INT32, 4, "DT_INT32"},
    {DT_UINT8, 1, "DT_UINT8"},
    {DT_INT16, 2, "DT_INT16"},
    {DT_UINT16, 2, "DT_UINT16"},
    {DT_UINT32, 4, "DT_UINT32"},
    {DT_INT64, 8, "DT_INT64"},
    {DT_UINT64, 8, "DT_UINT64"},
    {DT_DOUBLE, 8, "DT_DOUBLE"},
    {DT_BOOL, 1, "DT_BOOL"},
    {DT_STRING, -1, "DT_STRING"},
    {DT_DUAL_SUB_INT8, 1, "DT_DUAL_SUB_INT8"},
    {DT_DUAL_SUB_UINT8, 1, "DT_DUAL_SUB_UINT8"},
    {DT_COMPLEX64, 8, "DT_COMPLEX64"},
    {DT_COMPLEX128, 16, "DT_COMPLEX128"},
    {DT_QINT8, 1, "DT_QINT8"},
    {DT_QINT16, 2, "DT_QINT16"},
    {DT_QINT32, 4, "DT_QINT32"},
    {DT_QUINT8, 1, "DT_QUINT8"},
    {DT_QUINT16, 2, "DT_QUINT16"},
    {DT_RESOURCE, 8, "DT_RESOURCE"},
    {DT_STRING_REF, -1, "DT_STRING_REF"},
    {DT_DUAL, 5, "DT_DUAL"},
    {DT_VARIANT, 8, "DT_VARIANT"},
    {DT_BF16, 2, "DT_BFLOAT16"},
    {DT_UNDEFINED, -1, "DT_UNDEFINED"},
    {DT_INT4, kBits + 4, "DT_INT4"},
    {DT_UINT1, kBits + 1, "DT_UINT1"},
    {DT_INT2, kBits + 2, "DT_INT2"},
    {DT_UINT2, kBits + 2, "DT_UINT2"},
    {DT_COMPLEX32, 4, "DT_COMPLEX32"},
    {DT_HIFLOAT8, 1, "DT_HIFLOAT8"},
    {DT_FLOAT8_E5M2, 1, "DT_FLOAT8_E5M2"},
    {DT_FLOAT8_E4M3FN, 1, "DT_FLOAT8_E4M3FN"},
    {DT_FLOAT8_E8M0, 1, "DT_FLOAT8_E8M0"},
    {DT_FLOAT6_E3M2, kBits + 6, "DT_FLOAT6_E3M2"},
    {DT_FLOAT6_E2M3, kBits + 6, "DT_FLOAT6_E2M3"},
    {DT_FLOAT4_E2M1, kBits + 4, "DT_FLOAT4_E2M1"},
    {DT_FLOAT4_E1M2, kBits + 4, "DT_FLOAT4_E1M2"},
    {DT_HIFLOAT4, kBits + 4, "DT_HIFLOAT4"},
};

constexpr const char* kFormats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "LOOKUP_LOOKUPS", "LOOKUP_KEYS",
    "LOOKUP_VALUE", "LOOKUP_OUTPUT", "LOOKUP_HITS", "C1HWNCoC0", "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW",
    "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM",
    "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS", "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL",
    "FRACTAL_Z_WINO", "C1HWC0", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32", "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_4",
    "FRACTAL_NZ_C0_8"};
static_assert(std::size(kFormats) == FORMAT_END);

const TypeRow* row_of(DataType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return &row;
  return nullptr;
}

constexpr uint32_t kStringBytes = 16;

}  // namespace

int GetSizeByDataType(DataType type) {
  const TypeRow* row = row_of(type);
  return row == nullptr ? -1 : row->size;
}

int64_t GetSizeInBytes(int64_t count, DataType type) {
  const int size = GetSizeByDataType(type);
  if (count < 0 || size <= 0) return -1;
  int64_t total = 0;
  if (size > kBits) {
    if (__builtin_mul_overflow(count, static_cast<int64_t>(size - kBits), &total)) return -1;
    return total / 8 + (total % 8 != 0);
  }
  return __builtin_mul_overflow(count, static_cast<int64_t>(size), &total) ? -1 : total;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t& length) {
  if (type == DT_STRING || type == DT_STRING_REF) {
    length = kStringBytes;
    return true;
  }
  const int size = GetSizeByDataType(type);
  if (size <= 0) return false;
  length = static_cast<uint32_t>(size);
  return true;
}

bool TypeUtils::IsDataTypeValid(DataType type) { return row_of(type) != nullptr && type != DT_UNDEFINED; }

bool TypeUtils::IsFormatValid(Format format) { return format >= 0 && format < FORMAT_END && format != FORMAT_RESERVED; }

std::string TypeUtils::DataTypeToSerialString(DataType type) {
  const TypeRow* row = row_of(type);
  return row == nullptr || type == DT_UNDEFINED ? "UNDEFINED" : row->name;
}

DataType TypeUtils::SerialStringToDataType(const std::string& name) {
  for (const TypeRow& row : kTypes)
    if (name == row.name) return static_cast<DataType>(row.type);
  return DT_UNDEFINED;
}

std::string TypeUtils::FormatToSerialString(Format format) {
  const int32_t primary = GetPrimaryFormat(format);
  return primary < FORMAT_END ? kFormats[primary] : "RESERVED";
}

Format TypeUtils::SerialStringToFormat(const std::string& name) {
  for (int i = 0; i < FORMAT_END; ++i)
    if (name == kFormats[i]) return static_cast<Format>(i);
  return FORMAT_RESERVED;
}

AscendString TypeUtils::DataTypeToAscendString(const DataType& type) {
  return AscendString(DataTypeToSerialString(type).c_str());
}

AscendString TypeUtils::FormatToAscendString(const Format& format) {
  return AscendString(FormatToSerialString(format).c_str());
}

int64_t Shape::GetShapeSize() const {
  if (dims_.empty()) return 0;
  int64_t size = 1;
  for (const int64_t dim : dims_) {
    if (dim == UNKNOWN_DIM || dim == UNKNOWN_DIM_NUM) return UNKNOWN_DIM;
    if (__builtin_mul_overflow(size, dim, &size)) return 0;
  }
  return size;
}

}  // namespace ge
