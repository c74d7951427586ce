// Random values for property tests: the same sequence for the same seed, on every platform.
#pragma once

#include <cstdint>
#include <random>

#include "dvb/packets/section.h"

namespace receiverd::dvb {

class Arbitrary {
 public:
  explicit Arbitrary(unsigned seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  bool coin() { return below(2) != 0; }
  std::uint8_t u8() { return static_cast<std::uint8_t>(below(0x100)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(below(0x10000)); }
  std::uint16_t pid() { return static_cast<std::uint16_t>(below(0x2000)); }
  std::uint8_t version() { return static_cast<std::uint8_t>(below(32)); }
  Section bytes(std::uint32_t max_size) {
    Section bytes(below(max_size + 1));
    for (auto& byte : bytes) byte = u8();
    return bytes;
  }

 private:
  std::mt19937 random_;
};

}  // namespace receiverd::dvb
