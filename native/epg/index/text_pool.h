// Stores every distinct text of one kind (titles, short texts, ...) once. Real guides repeat texts: 200,000 events have
// 40,000 titles and 85,000 long texts. So there is less to store, and the index has one entry per title, not per event.
//
//   chunk:   64 KiB of entries             length 16 | UTF-8 bytes
//            a packing pool stores texts encoded by a TextCodec, once it has enough of them to learn from
//   slot:    one per id                    place of the entry 32 (chunk << 16 | offset) | the owner's value 32
//   table:   IdTable, from text to id      for the writer only; after a load, rebuilt when first needed
//
// An id is a small dense number that does not change while its text is in use; 0 is the empty text. The owner of the
// pool keeps track of a text's users, with one value per text, and calls release() when there are none left. A dead
// text keeps its id until recycle(), since an index may still refer to it. The next compaction frees its bytes.
//
// Thread safety: one writer, and the store's lock between it and the readers. Functions marked [prepare] only read what
// readers read and may run without that lock. A string_view is valid as long as the lock is held.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/index/column.h"
#include "epg/index/id_table.h"
#include "epg/text/text_codec.h"

namespace receiverd::epg {

using TextId = std::uint32_t;

class TextPool {
 public:
  /// Longer texts are cut between characters. An event's texts are at most 16 descriptors of 255 bytes.
  static constexpr std::size_t kMaxTextBytes = 32 * 1024 - 1;
  /// Ids have 24 bits. The store refuses events before the limit is reached.
  static constexpr std::uint32_t kMaxTexts = IdTable::kIdEnd - 1;

  /// `packs`: for long texts, which are rarely read; compresses them to about 55 % of their bytes (docs/guide.md).
  explicit TextPool(bool packs = false);

  /// A text to be added to the pool.
  struct Staged {
    std::string_view text;  ///< kept by the caller until add()
    std::uint32_t hash = 0;
    TextId id = 0;       ///< 0: new, or empty
    std::string packed;  ///< as the pool will store it, once it has a codec
  };

  /// [prepare] Makes room for `texts` further texts in memory that readers do not use, so that add() is fast.
  void make_room(std::size_t texts);
  /// [prepare] Looks a text up; `staged` may be reused.
  void stage(std::string_view text, Staged& staged);
  /// The id of a staged text. If it is new, it is stored with value 0 and `added` is set.
  TextId add(const Staged& staged, bool& added);

  /// The text of an id, empty if the text is dead. REQUIRES: `id` is below end(). The text may lie in `buffer`.
  std::string_view text(TextId id, std::string& buffer) const {
    if (!living(id)) return {};
    const Chunk& chunk = chunks_[slots_[id].place >> kChunkBits];
    const std::string_view stored = entry_bytes(slots_[id].place);
    if (chunk.codec == kPlain) return stored;
    buffer.clear();
    codecs_[chunk.codec]->decode(stored, buffer);
    return buffer;
  }
  /// The folded text, in `buffer`.
  std::string_view folded_text(TextId id, std::string& buffer) const;
  /// The text, for pools that store texts unpacked. REQUIRES: the pool does not pack.
  std::string_view text(TextId id) const { return living(id) ? entry_bytes(slots_[id].place) : std::string_view{}; }
  /// For reading many texts: first prefetch the slot of each, later the first bytes of each text.
  RECEIVERD_PREFETCHES void prefetch_place(TextId id) const { slots_.prefetch(id); }
  RECEIVERD_PREFETCHES void prefetch_text(TextId id) const {
    if (!living(id)) return;
    const std::uint32_t place = slots_[id].place;
    const char* entry = chunks_[place >> kChunkBits].bytes + (place & (kChunkSize - 1));
    wire::prefetch(entry);
    wire::prefetch(entry + 64);
  }
  /// Calls `visit(id)` for each, in order, prefetching the texts ahead.
  template <typename Visit>
  void each_of(std::span<const TextId> ids, Visit visit) const {
    constexpr std::size_t kPrefetchDistance = 4;
    for (std::size_t i = 0; i < std::min(2 * kPrefetchDistance, ids.size()); ++i) prefetch_place(ids[i]);
    for (std::size_t i = 0; i < std::min(kPrefetchDistance, ids.size()); ++i) prefetch_text(ids[i]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i + 2 * kPrefetchDistance < ids.size()) prefetch_place(ids[i + 2 * kPrefetchDistance]);
      if (i + kPrefetchDistance < ids.size()) prefetch_text(ids[i + kPrefetchDistance]);
      visit(ids[i]);
    }
  }
  std::uint32_t value(TextId id) const { return slots_[id].value; }
  void set_value(TextId id, std::uint32_t value) { slots_[id].value = value; }

  /// True if `id` is in use. Ids are below end().
  bool living(TextId id) const { return id != 0 && slots_[id].place != kNowhere; }
  TextId end() const { return static_cast<TextId>(slots_.size()); }

  /// Marks the text as no longer used.
  void release(TextId id);
  /// Makes a dead id available for another text. REQUIRES: no index refers to it any more.
  void recycle(TextId id) { free_ids_.push_back(id); }

  /// The number of living texts and their bytes.
  std::size_t size() const { return living_; }
  std::size_t text_bytes() const { return text_bytes_; }
  /// Bytes allocated.
  std::size_t memory_bytes() const;

  /// True if the pool packs and its text has more than doubled since the codec was trained; with `soon`, if it has
  /// grown by more than a quarter.
  bool learning_due(bool soon) const;
  /// Frees the memory of dead texts, and trains a new codec if that is due. `locked(work)` must run `work()` while no
  /// reader reads; each `work` moves some texts. REQUIRES: nothing is staged.
  template <typename Locked>
  void compact(bool soon, Locked locked) {
    if (learning_due(soon)) {
      learn();
      locked([this] { open_chunk(); });
    }
    locked([this] { trim_free(free_ids_, slots_); });
    Moves moves = plan_moves();
    if (moves.chunks.empty()) return;
    while (stage_moves(moves)) {
      locked([&] { move(moves); });
    }
    locked([&] { finish(moves); });
  }

 private:
  friend class GuideWriter;
  friend class GuideReader;
  static constexpr std::uint32_t kChunkBits = 16;
  static constexpr std::uint32_t kChunkSize = 1U << kChunkBits;
  static constexpr std::size_t kEntryHead = 2;
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  // Chunk::codec for texts stored unpacked.
  static constexpr std::uint8_t kPlain = 2;

  struct Slot {
    std::uint32_t place = kNowhere;
    std::uint32_t value = 0;
  };
  struct Chunk {
    char* bytes = nullptr;  // null = freed
    std::unique_ptr<char[]> owned;
    std::uint32_t used = 0;
    std::uint32_t dead = 0;
    std::uint8_t codec = kPlain;  // which of codecs_
  };
  // Texts being moved out of their chunks.
  struct Moves {
    std::vector<std::uint32_t> chunks;
    std::vector<TextId> ids;
    std::size_t done = 0;
    std::vector<std::pair<TextId, std::string>> staged;
  };

  std::string_view entry_bytes(std::uint32_t place) const {
    const char* entry = chunks_[place >> kChunkBits].bytes + (place & (kChunkSize - 1));
    std::uint16_t length = 0;
    std::memcpy(&length, entry, sizeof(length));
    return {entry + kEntryHead, length};
  }
  std::uint32_t hash_of_id(TextId id);
  bool has_text(TextId id, std::string_view text) { return this->text(id, buffer_) == text; }
  /// The bytes that the pool stores for a text: in `packed`, or `text` itself if the pool does not pack yet.
  std::string_view stored(std::string_view text, std::string& packed) const;
  std::uint32_t append(std::string_view stored);
  void open_chunk();
  void learn();
  Moves plan_moves() const;
  bool stage_moves(Moves& moves);
  void move(Moves& moves);
  void finish(const Moves& moves);
  void make_table();

  bool packs_;
  std::uint8_t codec_ = kPlain;  // for new texts
  // Two while texts move from one codec to the other.
  std::array<std::unique_ptr<const TextCodec>, 2> codecs_;
  std::size_t learnt_from_ = 0;  // text_bytes_ when the codec was trained
  std::string buffer_;           // used by the writer
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::uint32_t current_ = 0;
  Column<Slot> slots_;
  std::vector<TextId> free_ids_;
  IdTable table_;
  bool table_made_ = true;
  std::shared_ptr<const void> mapped_;
  std::size_t living_ = 0;
  std::size_t text_bytes_ = 0;  // unpacked
};

}  // namespace receiverd::epg
