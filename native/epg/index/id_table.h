// A hash table from keys (texts, programmes) to their small dense ids: open addressing, linear probing. It does not
// store the keys, only 4 bytes per entry: 24 bits of id and 8 bits of hash. The caller compares the key of each
// candidate; the 8 bits rule out most wrong ones. std::unordered_map would need a node for each entry.
//
// The home of an entry is hash * size / 2^32, so the table may have any size. It grows by a quarter instead of
// doubling, to save memory.
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

/// The hash of a text. Depends on the byte order, so it must not be stored in files.
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
  /// Ids are below this.
  static constexpr std::uint32_t kIdEnd = 1U << 24;

  /// The id with this hash that `equal(id)` accepts; 0 if there is none.
  template <typename Equal>
  std::uint32_t find(std::uint32_t hash, Equal equal) const {
    if (entries_.empty()) return 0;
    for (std::size_t at = home(hash); entries_[at] != 0; at = next(at)) {
      if (entries_[at] >> 24 == (hash & 0xFF) && equal(entries_[at] & kIdMask)) return entries_[at] & kIdMask;
    }
    return 0;
  }

  /// Makes room for `more` further ids, so that insert() need not grow the table, and shrinks a far too large table.
  /// `hash_of(id)` returns the hash of an entry. Occasionally takes time in proportion to the size.
  template <typename HashOf>
  void make_room(std::size_t more, HashOf hash_of) {
    const std::size_t needed = size_ + more;
    const std::size_t spare = std::min(needed, kSpareEntries);
    if (needed * 5 > entries_.size() * 4 || (needed + spare) * 4 < entries_.size()) {
      resize(needed + needed / 4 + spare, hash_of);
    }
  }

  /// REQUIRES: `id` is not in the table.
  template <typename HashOf>
  void insert(std::uint32_t id, std::uint32_t hash, HashOf hash_of) {
    if ((size_ + 1) * 8 > entries_.size() * 7) make_room(64, hash_of);
    put(id, hash);
    ++size_;
  }

  /// Does nothing if `id` is not in the table. Leaves no tombstone: entries after the hole move into it if it is on the
  /// way from their home.
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
  static constexpr std::uint32_t kIdMask = kIdEnd - 1;
  // Spare entries that every table may have: saving them is not worthwhile, and small tables grow less often.
  static constexpr std::size_t kSpareEntries = 2048;

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
  // Resizes for `entries` entries at a load of 4/5.
  template <typename HashOf>
  void resize(std::size_t entries, HashOf hash_of) {
    std::vector<std::uint32_t> old(entries * 5 / 4 + 1);
    old.swap(entries_);
    for (const std::uint32_t entry : old) {
      if (entry != 0) put(entry & kIdMask, hash_of(entry & kIdMask));
    }
  }

  std::vector<std::uint32_t> entries_;
  std::size_t size_ = 0;
};

}  // namespace receiverd::epg
