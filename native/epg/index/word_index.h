// Finds the texts that contain a word, part of a word or a run of characters. An index of tokens (text/words.h) finds
// all of these; an index of grams takes more memory and finds runs of characters faster. SQLite's FTS5 with trigrams
// needs six times the memory for 200,000 events and takes 80 to 700 times as long (docs/benchmarks.md).
//
//   recent texts    the latest ones, folded; find() checks them one by one
//   segments        word_segment.h: immutable, in tiers of similar size; kTier of one tier are merged into one of the
//                   next
//   dead ids        removed, but still in a segment; a merge drops them
//
// Maintenance does the heavy work in three steps, so that nothing has to wait for it: maintenance() plans the work due,
// run() does it without accessing the index, install() puts the result in place.
//
// Thread safety: one thread at a time changes the index: add, remove, take_forgotten, maintenance, install, adopt. No
// reader (any const function) may run during add, remove, install and adopt; these take time in proportion to the
// recent texts at most. Readers may run during maintenance() and take_forgotten(). Maintenance::run() needs no lock:
// anything may run at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/event/query.h"
#include "epg/index/text_pool.h"
#include "epg/index/word_segment.h"

namespace receiverd::epg {

class WordIndex {
 public:
  class Maintenance;

  /// The result of find().
  struct Found {
    /// Distinct, in no particular order.
    std::vector<TextId> ids;
    /// If false, some of them may not match: check each with TextMatcher.
    bool verified = true;
  };

  explicit WordIndex(IndexedWords words = IndexedWords::tokens) : words_(words) {}

  /// Adds a text. REQUIRES: `id` is not in the index, or take_forgotten() has returned it since it was removed;
  /// `folded` comes from fold().
  void add(TextId id, std::string_view folded);

  /// find() no longer returns it. REQUIRES: `id` was added (or is in an adopted segment) and not removed since.
  void remove(TextId id);

  /// Removed ids that may be added again, each returned once: nothing refers to them any more.
  std::vector<TextId> take_forgotten() { return std::exchange(forgotten_, {}); }

  /// The texts that match `wanted` as TextMatcher(wanted, match) would decide, and perhaps others (see verified). All
  /// texts if `wanted` is empty. REQUIRES: `wanted` is folded UTF-8; match is not TextMatch::words; for an index of
  /// grams, match is not TextMatch::phrase.
  Found find(std::string_view wanted, TextMatch match) const;

  /// The maintenance due, if any. `everything`: put all texts into segments and merge those into one, or into one
  /// beside a large one. Cheap: it copies the recent texts. A later call replaces a Maintenance that is not installed
  /// yet.
  std::optional<Maintenance> maintenance(bool everything = false);

  /// Installs the result of run(). Returns false, without effect, if it was not the latest of this index.
  bool install(Maintenance&& done);

  IndexedWords words() const { return words_; }
  /// Bytes allocated; adopted segments lie elsewhere.
  std::size_t memory_bytes() const;
  /// The number of texts that find() can return.
  std::size_t size() const { return size_; }
  std::size_t segments() const { return segments_.size(); }

  /// Calls `visit(bytes)` for each segment. Together with dead() this is the index, if there are no recent texts.
  template <typename Visit>
  void each_segment(Visit visit) const {
    for (const Part& part : segments_) visit(part.segment->bytes());
  }
  bool has_recent() const { return !recent_.slots.empty(); }
  /// The ids that are in a segment but removed. They have to be removed again after the segments have been adopted.
  std::vector<TextId> dead() const { return dead_.ids(); }

  /// Adds a segment from bytes that each_segment() once passed out, valid as long as `owner` lives. False if they are
  /// malformed or from a host with another byte order. find() never reads outside the bytes, whatever they are. But
  /// their ids are unchecked: they may be unknown to the caller, or appear twice.
  bool adopt(std::shared_ptr<const void> owner, std::span<const std::byte> segment);

 private:
  struct Part {
    std::shared_ptr<const WordSegment> segment;
    bool adopted = false;
    /// How many of its texts were dead at the last count.
    std::uint32_t dead = 0;
  };
  struct Recent {
    struct Slot {
      TextId id = 0;
      std::uint32_t begin = 0;
      std::uint32_t size = 0;
      bool removed = false;
      /// Removed after the latest Maintenance had copied it: it may come back as a dead id of a segment.
      bool held = false;
    };
    std::string_view text(const Slot& slot) const { return std::string_view(texts).substr(slot.begin, slot.size); }

    std::string texts;
    std::vector<Slot> slots;
  };

  void find_tokens(std::string_view wanted, TextMatch match, Found& found) const;
  void find_grams(std::string_view wanted, TextMatch match, Found& found) const;
  void count_dead();
  void drop_recent(std::size_t count);

  IndexedWords words_;
  std::vector<Part> segments_;
  Recent recent_;
  IdSet dead_;
  std::vector<TextId> forgotten_;
  std::size_t size_ = 0;
  std::size_t removed_since_count_ = 0;
  std::size_t flushing_ = 0;  // how many of the first slots of recent_ are in the latest Maintenance
  std::uint64_t serial_ = 0;  // of the latest Maintenance
  bool nothing_due_ = false;  // while the segments do not change
};

/// Maintenance work planned by WordIndex::maintenance().
class WordIndex::Maintenance {
 public:
  /// Builds the new segments. May throw std::bad_alloc; the object can then be discarded.
  void run();

 private:
  friend class WordIndex;

  /// Segments to be merged into one.
  struct Merge {
    std::vector<std::shared_ptr<const WordSegment>> segments;
    bool with_recent = false;
    std::size_t bytes = 0;  ///< without those of dead texts
    bool due = false;

    void take(const Merge& other) {
      segments.insert(segments.end(), other.segments.begin(), other.segments.end());
      with_recent |= other.with_recent;
      bytes += other.bytes;
      due = true;
    }
  };

  void plan(const std::vector<Part>& parts, std::size_t recent_bytes, bool everything);

  IndexedWords words_ = IndexedWords::tokens;
  std::uint64_t serial_ = 0;
  std::size_t slots_ = 0;  // of the recent texts
  Recent recent_;
  IdSet dead_;
  std::vector<Merge> merges_;
  std::vector<std::shared_ptr<const WordSegment>> made_;
  std::vector<TextId> dropped_;
  bool done_ = false;
};

}  // namespace receiverd::epg
