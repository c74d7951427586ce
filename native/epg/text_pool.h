// Every distinct guide text, kept once: real guides repeat themselves (200,000 events have 40,000 titles).
//
//   chunk:   256 KiB of entries            id 32 | length 16 | UTF-8 bytes
//   slot:    one per id                    place of the entry 32 (chunk << 18 | offset) | references 32 | hash 32
//   lookup:  open addressing over ids, linear probing, load <= 0.7
//
// An id is a small dense number that never changes while it is referenced, so that search can keep a table per text
// beside the pool; 0 is the empty text. A text whose last reference goes away gives its id back at once and its bytes
// at the next compact(), which copies the living entries out of chunks that are less than half alive.
//
// Thread safety: none. The store's lock covers the pool; a string_view is good as long as that is held.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace receiverd::epg {

using TextId = std::uint32_t;

class TextPool {
 public:
  /// Longer texts are cut at a character. An event's texts are at most 16 descriptors of 255 bytes.
  static constexpr std::size_t kLongestText = 32 * 1024 - 1;

  TextPool();

  /// The id of `text` with one more reference. 0 for an empty text.
  TextId add(std::string_view text);
  /// One more reference to a living id.
  void acquire(TextId id);
  /// One reference less.
  void release(TextId id);

  /// REQUIRES: `id` is 0 or referenced.
  std::string_view text(TextId id) const { return id == 0 ? std::string_view{} : entry_text(slots_[id].place); }

  /// True when `id` is in use. Ids are below end().
  bool living(TextId id) const { return id != 0 && slots_[id].references != 0; }
  TextId end() const { return static_cast<TextId>(slots_.size()); }

  std::size_t size() const { return living_; }
  /// Bytes of the living texts.
  std::size_t text_bytes() const { return text_bytes_; }
  /// Bytes allocated for all of it.
  std::size_t memory_bytes() const;

  /// Gives back the memory of dead entries; ids stay.
  void compact();

 private:
  static constexpr std::uint32_t kChunkBits = 18;
  static constexpr std::uint32_t kChunkSize = 1U << kChunkBits;
  static constexpr std::size_t kEntryHead = 6;

  struct Slot {
    std::uint32_t place = 0;
    std::uint32_t references = 0;
    std::uint32_t hash = 0;
  };
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::uint32_t used = 0;
    std::uint32_t dead = 0;
  };

  std::string_view entry_text(std::uint32_t place) const;
  std::uint32_t append(TextId id, std::string_view text);
  void open_chunk();
  std::size_t home(std::uint32_t hash) const { return hash & (table_.size() - 1); }
  std::size_t find(std::string_view text, std::uint32_t hash) const;
  void grow_table();
  void erase_from_table(TextId id);

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::uint32_t current_ = 0;
  std::vector<Slot> slots_;
  std::vector<TextId> free_ids_;
  std::vector<TextId> table_;  // 0 = free
  std::size_t living_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace receiverd::epg
