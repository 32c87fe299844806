// Shapes, strides and coordinates as tuples of integers (or nested tuples): the layouts of TensorTrait and TransData.
#pragma once
#include <tuple>
#include <utility>

#include "ascendc/enums.h"

namespace AscendC {

// The part of the tuple library that device programs spell with this namespace.
namespace Std {
using ::std::get;
using ::std::integral_constant;
using ::std::make_tuple;
using ::std::tuple;
using ::std::tuple_element;
using ::std::tuple_size;
template <size_t n>
using Int = ::std::integral_constant<size_t, n>;
}  // namespace Std

template <typename... Ts>
using Shape = Std::tuple<Ts...>;
template <typename... Ts>
using Stride = Std::tuple<Ts...>;
template <typename... Ts>
using Coord = Std::tuple<Ts...>;

template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... t) {
  return {t...};
}
template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... t) {
  return {t...};
}
template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(Ts const&... t) {
  return {t...};
}

namespace akc {
template <typename T>
inline constexpr bool kTuple = false;
template <typename... Ts>
inline constexpr bool kTuple<std::tuple<Ts...>> = true;

// The offset of a coordinate: the sum of its numbers times their strides. A single number where a nested shape stands
// counts through that shape, its first member fastest.
template <typename Crd, typename Shp, typename Str>
constexpr int64_t OffsetOf(const Crd& coord, const Shp& shape, const Str& stride);

template <typename Shp>
constexpr int64_t SizeOf(const Shp& shape) {
  if constexpr (kTuple<Shp>) return std::apply([](const auto&... s) { return (int64_t{1} * ... * SizeOf(s)); }, shape);
  else return static_cast<int64_t>(shape);
}
template <typename Shp, typename Str, size_t... I>
constexpr int64_t OffsetOfNumber(int64_t number, const Shp& shape, const Str& stride, std::index_sequence<I...>) {
  int64_t offset = 0;
  ((offset += OffsetOf(I + 1 == sizeof...(I) ? number : number % SizeOf(std::get<I>(shape)), std::get<I>(shape), std::get<I>(stride)),
    number /= SizeOf(std::get<I>(shape))),
   ...);
  return offset;
}
template <typename Crd, typename Shp, typename Str, size_t... I>
constexpr int64_t OffsetOfTuple(const Crd& coord, const Shp& shape, const Str& stride, std::index_sequence<I...>) {
  return (int64_t{0} + ... + OffsetOf(std::get<I>(coord), std::get<I>(shape), std::get<I>(stride)));
}
template <typename Crd, typename Shp, typename Str>
constexpr int64_t OffsetOf(const Crd& coord, const Shp& shape, const Str& stride) {
  if constexpr (kTuple<Crd>) {
    static_assert(kTuple<Shp> && kTuple<Str> && std::tuple_size_v<Crd> == std::tuple_size_v<Shp> &&
                      std::tuple_size_v<Shp> == std::tuple_size_v<Str>,
                  "Ascend C Crd2Idx: coordinate, shape and stride have different ranks; legal: the same rank for all three");
    return OffsetOfTuple(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<Crd>>{});
  } else if constexpr (kTuple<Shp>) {
    return OffsetOfNumber(static_cast<int64_t>(coord), shape, stride, std::make_index_sequence<std::tuple_size_v<Shp>>{});
  } else {
    return static_cast<int64_t>(coord) * static_cast<int64_t>(stride);
  }
}
// One member, or the member of a member, and so on.
template <size_t... I, typename T>
constexpr decltype(auto) Pick(T& tuple) {
  if constexpr (sizeof...(I) == 0) {
    return (tuple);
  } else {
    return []<size_t First, size_t... Rest>(auto& t, std::index_sequence<First, Rest...>) -> decltype(auto) {
      return Pick<Rest...>(std::get<First>(t));
    }(tuple, std::index_sequence<I...>{});
  }
}
}  // namespace akc

template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
  return akc::OffsetOf(coord, shape, stride);
}

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
  constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})  // NOLINT: implicit by intent
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}

  constexpr decltype(auto) layout() { return *this; }
  constexpr decltype(auto) layout() const { return *this; }
  template <size_t... I>
  constexpr decltype(auto) GetShape() {
    return akc::Pick<I...>(Std::get<0>(AkPair()));
  }
  template <size_t... I>
  constexpr decltype(auto) GetShape() const {
    return akc::Pick<I...>(Std::get<0>(AkPair()));
  }
  template <size_t... I>
  constexpr decltype(auto) GetStride() {
    return akc::Pick<I...>(Std::get<1>(AkPair()));
  }
  template <size_t... I>
  constexpr decltype(auto) GetStride() const {
    return akc::Pick<I...>(Std::get<1>(AkPair()));
  }
  template <typename CoordType>
  constexpr auto operator()(const CoordType& coord) const {
    return akc::OffsetOf(coord, Std::get<0>(AkPair()), Std::get<1>(AkPair()));
  }

 private:
  constexpr Std::tuple<ShapeType, StrideType>& AkPair() { return *this; }
  constexpr const Std::tuple<ShapeType, StrideType>& AkPair() const { return *this; }
};

template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
  return layout(coord);
}

namespace akc {
// Elements from the first to the last of a layout; strides that are all 0 stand for a contiguous one.
template <typename Shp, typename Str>
constexpr int64_t LastOf(const Shp& shape, const Str& stride) {
  if constexpr (kTuple<Shp>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (int64_t{0} + ... + LastOf(std::get<I>(shape), std::get<I>(stride)));
    }(std::make_index_sequence<std::tuple_size_v<Shp>>{});
  } else {
    return (static_cast<int64_t>(shape) - 1) * static_cast<int64_t>(stride);
  }
}
template <typename LayoutType>
constexpr uint32_t SizeOfLayout(const LayoutType& layout) {
  const int64_t last = LastOf(layout.GetShape(), layout.GetStride());
  const int64_t size = last + 1 > SizeOf(layout.GetShape()) ? last + 1 : SizeOf(layout.GetShape());
  return static_cast<uint32_t>(size);
}
}  // namespace akc

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
inline constexpr bool is_layout_v = is_layout<T>::value;

// A TensorTrait may stand for the element type of a tensor; arithmetic then uses its lite type.
template <typename T, TPosition pos = TPosition::GM, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr TPosition tPos = pos;

  constexpr TensorTrait(const LayoutType& t = {}) : layout_(t) {}  // NOLINT: implicit by intent
  constexpr LayoutType& GetLayout() { return layout_; }
  constexpr const LayoutType& GetLayout() const { return layout_; }
  constexpr void SetLayout(const LayoutType& t) { layout_ = t; }

 private:
  LayoutType layout_;
};

template <typename T, TPosition pos, typename LayoutType>
constexpr auto MakeTensorTrait(const LayoutType& t) {
  return TensorTrait<T, pos, LayoutType>(t);
}

template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
template <typename T>
inline constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

}  // namespace AscendC
