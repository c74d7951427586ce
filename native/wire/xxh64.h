// XXH64: a fast checksum of 64 bits over bytes, by its public specification (xxHash fast digest algorithm, XXH64
// algorithm description). Against damage, not against people: whoever can write a file can write its checksum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::wire {

class Xxh64 {
 public:
  explicit Xxh64(std::uint64_t seed = 0);

  /// The pieces of a message in their order; how it is cut makes no difference.
  void update(Bytes bytes);
  /// Of all that came so far; more may follow.
  std::uint64_t digest() const;

 private:
  static constexpr std::size_t kStripe = 32;

  std::array<std::uint64_t, 4> lanes_;
  std::array<std::uint8_t, kStripe> rest_{};
  std::size_t rest_size_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t seed_;
};

/// XXH64 of one piece.
std::uint64_t xxh64(Bytes bytes, std::uint64_t seed = 0);

}  // namespace receiverd::wire
