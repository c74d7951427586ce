// Bounds-checked reading of big-endian fields. Everything that comes from the air or the network is read through here.
//
// A Cursor never reads past its span. A read that does not fit returns zero and puts the cursor into a failed state.
// The caller may read on and check ok() once at the end of a structure, so parsers need no check per field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace receiverd::wire {

using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - position_; }
  std::size_t position() const { return position_; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number<1>()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number<2>()); }
  std::uint32_t u24() { return static_cast<std::uint32_t>(number<3>()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number<4>()); }
  std::uint64_t u40() { return number<5>(); }

  /// The next `length` bytes. If fewer are left, returns an empty span and the cursor fails.
  Bytes take(std::size_t length) {
    if (!ok_ || length > left()) {
      ok_ = false;
      position_ = bytes_.size();
      return {};
    }
    const Bytes taken = bytes_.subspan(position_, length);
    position_ += length;
    return taken;
  }

  void skip(std::size_t length) { take(length); }
  Bytes rest() { return take(left()); }

 private:
  template <std::size_t kLength>
  std::uint64_t number() {
    if (left() < kLength) {  // a failed cursor has nothing left
      take(kLength);
      return 0;
    }
    const std::uint8_t* const at = bytes_.data() + position_;
    position_ += kLength;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kLength; ++i) value = value << 8 | at[i];
    return value;
  }

  Bytes bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace receiverd::wire
