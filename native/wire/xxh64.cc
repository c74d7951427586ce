#include "wire/xxh64.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace receiverd::wire {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

// Numbers are little-endian in the specification, whatever the machine's byte order.
template <typename Number>
std::uint64_t little_endian(const std::uint8_t* bytes) {
  if constexpr (std::endian::native == std::endian::little) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  } else {
    std::uint64_t number = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;) number = number << 8 | bytes[i];
    return number;
  }
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * kPrime2, 31) * kPrime1; }

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round(0, lane)) * kPrime1 + kPrime4; }

void stripe(std::array<std::uint64_t, 4>& lanes, const std::uint8_t* bytes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] = round(lanes[i], little_endian<std::uint64_t>(bytes + 8 * i));
  }
}

}  // namespace

Xxh64::Xxh64(std::uint64_t seed)
    : lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1}, seed_(seed) {}

void Xxh64::update(Bytes bytes) {
  length_ += bytes.size();
  if (rest_size_ > 0) {
    const std::size_t fill = std::min(kStripe - rest_size_, bytes.size());
    std::copy_n(bytes.begin(), fill, rest_.begin() + static_cast<std::ptrdiff_t>(rest_size_));
    rest_size_ += fill;
    bytes = bytes.subspan(fill);
    if (rest_size_ < kStripe) return;
    stripe(lanes_, rest_.data());
    rest_size_ = 0;
  }
  // Keeps the lanes in registers. Through the member, the compiler would store them at each stripe.
  std::array<std::uint64_t, 4> lanes = lanes_;
  const std::uint8_t* at = bytes.data();
  for (std::size_t stripes = bytes.size() / kStripe; stripes > 0; --stripes, at += kStripe) stripe(lanes, at);
  lanes_ = lanes;
  bytes = bytes.last(bytes.size() % kStripe);
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
  rest_size_ = bytes.size();
}

std::uint64_t Xxh64::digest() const {
  std::uint64_t hash = seed_ + kPrime5;
  if (length_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = merge(hash, lane);
  }
  hash += length_;
  const std::uint8_t* at = rest_.data();
  std::size_t left = rest_size_;
  for (; left >= 8; left -= 8, at += 8) {
    hash = std::rotl(hash ^ round(0, little_endian<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ little_endian<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    left -= 4;
    at += 4;
  }
  for (; left > 0; --left, ++at) hash = std::rotl(hash ^ *at * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

std::uint64_t xxh64(Bytes bytes, std::uint64_t seed) {
  Xxh64 hash(seed);
  hash.update(bytes);
  return hash.digest();
}

}  // namespace receiverd::wire
