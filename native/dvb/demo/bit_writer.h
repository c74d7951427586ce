// Appends bits, most significant first, to a byte vector: the order of MPEG video, MPEG audio and PSI/SI.
#pragma once

#include <cstdint>
#include <vector>

namespace receiverd::dvb::demo {

using ByteVector = std::vector<std::uint8_t>;

class BitWriter {
 public:
  explicit BitWriter(ByteVector& out) : out_(out) {}

  /// Appends the low `count` bits of `value`; `count` is 0..32.
  void put(std::uint32_t value, int count) {
    pending_ = pending_ << count | (value & static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1));
    held_ += count;
    while (held_ >= 8) {
      held_ -= 8;
      out_.push_back(static_cast<std::uint8_t>(pending_ >> held_));
    }
  }

  /// Appends zero bits up to the next byte boundary.
  void align() {
    if (held_ != 0) put(0, 8 - held_);
  }

 private:
  ByteVector& out_;
  std::uint64_t pending_ = 0;
  int held_ = 0;
};

}  // namespace receiverd::dvb::demo
