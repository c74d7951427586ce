// Finds small dense ids by the hash of what they stand for: open addressing, linear probing, 4 bytes per entry. 8 of
// the bits are part of the hash, so that few wrong candidates are compared. It stores no keys: the caller compares.
//
// An entry's place is hash * size / 2^32, so the table may have any size. It grows by a quarter.
//
// Thread safety: none; only the writer uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace receiverd::epg {

/// The hash of a text, only for use while the program runs: it depends on the byte order.
inline std::uint32_t text_hash(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = text.size() * kOdd;
  for (std::uint64_t word = 0; !text.empty(); word = 0) {
    const std::size_t size = std::min(text.size(), sizeof(word));
    std::memcpy(&word, text.data(), size);
    text.remove_prefix(size);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>((hash * kOdd) >> 32);
}

class IdTable {
 public:
  static constexpr std::uint32_t kMostIds = 1U << 24;

  /// The id with this hash that `equal(id)` accepts, or 0 if there is none. Ids are from 1 to kMostIds - 1.
  template <typename Equal>
  std::uint32_t find(std::uint32_t hash, Equal equal) const {
    if (entries_.empty()) return 0;
    for (std::size_t at = home(hash); entries_[at] != 0; at = next(at)) {
      if (entries_[at] >> 24 == (hash & 0xFF) && equal(entries_[at] & kIdMask)) return entries_[at] & kIdMask;
    }
    return 0;
  }

  /// Makes room for `more` further ids, so that insert() does not have to, and shrinks a table that is far too large.
  /// `hash_of(id)` returns the hash of an entry. Occasionally takes time in proportion to the size.
  template <typename HashOf>
  void make_room(std::size_t more, HashOf hash_of) {
    const std::size_t needed = size_ + more;
    const std::size_t small = std::min(needed, kSmall);
    if (needed * 5 > entries_.size() * 4 || (needed + small) * 4 < entries_.size()) {
      resize(needed + needed / 4 + small, hash_of);
    }
  }

  /// REQUIRES: `id` is not in the table.
  template <typename HashOf>
  void insert(std::uint32_t id, std::uint32_t hash, HashOf hash_of) {
    if ((size_ + 1) * 8 > entries_.size() * 7) make_room(64, hash_of);
    put(id, hash);
    ++size_;
  }

  /// Linear probing without tombstones: entries after the hole move up if the hole is on the way from their home
  /// place. Does nothing if `id` is not in the table.
  template <typename HashOf>
  void erase(std::uint32_t id, std::uint32_t hash, HashOf hash_of) {
    if (entries_.empty()) return;
    std::size_t hole = home(hash);
    for (; (entries_[hole] & kIdMask) != id; hole = next(hole)) {
      if (entries_[hole] == 0) return;
    }
    for (std::size_t at = next(hole); entries_[at] != 0; at = next(at)) {
      if (distance(home(hash_of(entries_[at] & kIdMask)), at) >= distance(hole, at)) {
        entries_[hole] = entries_[at];
        hole = at;
      }
    }
    entries_[hole] = 0;
    --size_;
  }

  void clear() { *this = IdTable(); }
  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint32_t kIdMask = kMostIds - 1;
  // This much spare room at once is not worth saving, and a small table need not grow so often.
  static constexpr std::size_t kSmall = 2048;

  std::size_t home(std::uint32_t hash) const { return std::uint64_t{hash} * entries_.size() >> 32; }
  std::size_t next(std::size_t at) const { return at + 1 == entries_.size() ? 0 : at + 1; }
  std::size_t distance(std::size_t from, std::size_t to) const {
    return to >= from ? to - from : to + entries_.size() - from;
  }
  void put(std::uint32_t id, std::uint32_t hash) {
    std::size_t at = home(hash);
    while (entries_[at] != 0) at = next(at);
    entries_[at] = id | hash << 24;
  }
  // Makes room for `most` entries at a load of 4/5.
  template <typename HashOf>
  void resize(std::size_t most, HashOf hash_of) {
    std::vector<std::uint32_t> old(most * 5 / 4 + 1);
    old.swap(entries_);
    for (const std::uint32_t entry : old) {
      if (entry != 0) put(entry & kIdMask, hash_of(entry & kIdMask));
    }
  }

  std::vector<std::uint32_t> entries_;
  std::size_t size_ = 0;
};

}  // namespace receiverd::epg
