// Every distinct text of one kind (titles, short texts, ...), kept once: real guides repeat themselves (200,000 events
// have 40,000 titles).
//
//   chunk:   64 KiB of entries             length 16 | UTF-8 bytes
//   slot:    one per id                    place of the entry 32 (chunk << 16 | offset) | the owner's value 32
//   table:   IdTable, from text to id      for the writer only; made anew when it is first needed after a load
//
// An id is a small dense number that never changes while its text lives; 0 is the empty text. What a text is used by is
// the owner's affair: it keeps a value per text for that and says when a text dies. A dead text keeps its id until
// recycle(), since an index may still name it; its bytes go at the next compaction.
//
// Thread safety: one writer, and the store's lock between it and the readers. Functions marked [prepare] only read what
// readers read and may run without that lock. A string_view is good as long as the lock is held.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "epg/column.h"
#include "epg/id_table.h"

namespace receiverd::epg {

using TextId = std::uint32_t;

class TextPool {
 public:
  /// Longer texts are cut at a character. An event's texts are at most 16 descriptors of 255 bytes.
  static constexpr std::size_t kLongestText = 32 * 1024 - 1;
  /// What one look at the pool may find: the store refuses events before this many texts.
  static constexpr std::uint32_t kMostTexts = IdTable::kMostIds - 1;

  TextPool();

  /// A text on its way into the pool.
  struct Staged {
    std::string_view text;  ///< the caller keeps it until add()
    std::uint32_t hash = 0;
    TextId id = 0;  ///< 0: new, or empty
  };

  /// [prepare] Makes room for `texts` further ones where readers do not look, so that add() is quick.
  void make_room(std::size_t texts);
  /// [prepare] Looks a text up.
  Staged stage(std::string_view text);
  /// The id of a staged text; a new one is put in with value 0. `added` says so.
  TextId add(const Staged& staged, bool& added);

  /// REQUIRES: `id` is 0 or living.
  std::string_view text(TextId id) const { return id == 0 ? std::string_view{} : entry_text(slots_[id].place); }
  std::uint32_t value(TextId id) const { return slots_[id].value; }
  void set_value(TextId id, std::uint32_t value) { slots_[id].value = value; }

  /// True when `id` is in use. Ids are below end().
  bool living(TextId id) const { return id != 0 && slots_[id].place != kNowhere; }
  TextId end() const { return static_cast<TextId>(slots_.size()); }

  /// The text is used no more.
  void kill(TextId id);
  /// Nothing names this dead id any more: it may stand for another text.
  void recycle(TextId id) { free_ids_.push_back(id); }

  /// Living texts and their bytes.
  std::size_t size() const { return living_; }
  std::size_t text_bytes() const { return text_bytes_; }
  /// Bytes allocated for all of it.
  std::size_t memory_bytes() const;

  /// [prepare] Chunks of which less than half lives, and what lives in them.
  struct Compaction {
    std::vector<TextId> ids;
    std::vector<std::uint32_t> chunks;
  };
  Compaction plan_compaction() const;
  /// Moves texts out of their chunks, some at a time: from `at` on, about 32 KiB; gives where to go on, ids.size() at
  /// the end.
  std::size_t move_texts(const Compaction& plan, std::size_t at);
  /// Gives back the memory of the chunks, which must be empty by now.
  void finish(const Compaction& plan);

 private:
  friend class SnapshotParts;
  static constexpr std::uint32_t kChunkBits = 16;
  static constexpr std::uint32_t kChunkSize = 1U << kChunkBits;
  static constexpr std::size_t kEntryHead = 2;
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  struct Slot {
    std::uint32_t place = kNowhere;
    std::uint32_t value = 0;
  };
  struct Chunk {
    char* bytes = nullptr;  // null = given back
    std::unique_ptr<char[]> owned;
    std::uint32_t used = 0;
    std::uint32_t dead = 0;
  };

  std::string_view entry_text(std::uint32_t place) const {
    const char* entry = chunks_[place >> kChunkBits].bytes + (place & (kChunkSize - 1));
    std::uint16_t length = 0;
    std::memcpy(&length, entry, sizeof(length));
    return {entry + kEntryHead, length};
  }
  std::uint32_t append(std::string_view text);
  void open_chunk();
  void make_table();

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::uint32_t current_ = 0;
  Column<Slot> slots_;
  std::vector<TextId> free_ids_;
  IdTable table_;
  bool table_made_ = true;
  std::shared_ptr<const void> mapped_;
  std::size_t living_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace receiverd::epg
