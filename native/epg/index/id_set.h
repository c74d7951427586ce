// A set of small numbers (ids of programmes, texts or events), as one bit per number.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace receiverd::epg {

class IdSet {
 public:
  /// Has room for ids below `end`; add() makes more.
  explicit IdSet(std::size_t end = 0) : words_((end + 63) / 64) {}

  bool has(std::size_t id) const { return id / 64 < words_.size() && bit(id) != 0; }
  /// 1 if it is in the set, else 0. REQUIRES: there is room for `id`.
  std::uint64_t bit(std::size_t id) const { return words_[id / 64] >> (id % 64) & 1; }
  /// False if it was in the set already.
  bool add(std::size_t id) {
    if (id / 64 >= words_.size()) words_.resize(id / 64 + 1);
    if (bit(id) != 0) return false;
    words_[id / 64] |= std::uint64_t{1} << (id % 64);
    return true;
  }
  /// False if it was not in the set.
  bool erase(std::size_t id) {
    if (!has(id)) return false;
    words_[id / 64] &= ~(std::uint64_t{1} << (id % 64));
    return true;
  }
  /// In ascending order.
  std::vector<std::uint32_t> ids() const {
    std::vector<std::uint32_t> ids;
    for (std::size_t id = 0; id < words_.size() * 64; ++id) {
      if (bit(id) != 0) ids.push_back(static_cast<std::uint32_t>(id));
    }
    return ids;
  }
  std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace receiverd::epg
