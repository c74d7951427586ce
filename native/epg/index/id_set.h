// A set of numbers below a known bound: programmes, texts of one kind, events.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace receiverd::epg {

class IdSet {
 public:
  explicit IdSet(std::size_t end) : words_((end + 63) / 64) {}

  /// REQUIRES, here and below: `id` is below the bound.
  bool has(std::size_t id) const { return bit(id) != 0; }
  /// 1 if it is in the set, else 0.
  std::uint64_t bit(std::size_t id) const { return words_[id / 64] >> (id % 64) & 1; }
  /// False if it was in the set already.
  bool add(std::size_t id) {
    std::uint64_t& word = words_[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace receiverd::epg
