// An index over the texts of one kind: finds the texts that contain a word, part of a word or a run of characters.
//
// A scan of the folded texts would find the same, but its time grows with the guide, even without a hit, and a search
// holds the store's reading lock, for which the writer of the guide waits. Medians of 1,000 queries of three letters
// and more over 200,809 events, on two cores of an AMD EPYC (docs/benchmarks.md):
//
//                  index    scan that compares each text at every position
//   titles        4.3 us     41 ms
//   all texts      33 us    167 ms
//
// Reading the folded texts once from memory, without comparing anything, already takes 0.59 ms there. A slow box (two
// ARM or MIPS cores) has slower cores and slower memory, so it can afford a scan even less. A scan would also need a
// folded copy of all texts in memory, or fold each text again for every query. SQLite's FTS5 with trigrams needs six
// times the memory, and takes 178 times as long for titles and 44 times as long for all texts.
//
// The index has layers, because a single structure would have to be rebuilt for every new text:
//
//   recent texts    The latest texts, folded. Adding a text only appends to them. find() scans them; there are about a
//                   thousand at most, which takes some tens of microseconds.
//   segments        word_segment.h. Immutable, so they are merged in the background while readers use them, and used
//                   where they lie in the mapped snapshot file: a start from the snapshot takes 38 ms, building the
//                   guide from EIT sections 2.2 s. They form tiers of similar size; kSegmentsPerTier of one tier are
//                   merged into one of the next. So find() visits few segments, and a text is rewritten once per tier.
//   dead ids        Removed texts that are still in a segment. Removing a text only adds its id; a merge drops it.
//
// There are two kinds of index. One of tokens (text/words.h) answers every kind of query; every kind of text has one.
// One of grams (three characters each) finds runs of characters without scanning a vocabulary, but takes more memory,
// so only titles, which are searched most, have one as well. It is one of the changes that took the median of title
// searches from 21 to 5 us.
//
// Maintenance, the heavy work, has three steps so that readers wait only for the last: maintenance() plans the work
// due, run() does it without accessing the index, install() puts the result in place.
//
// Thread safety: one thread at a time changes the index: add, remove, take_forgotten, maintenance, install, adopt. No
// reader (any const function) may run during add, remove, install and adopt, which take time in proportion to the
// number of recent texts at most. Readers may run during maintenance() and take_forgotten(). Maintenance::run() needs
// no lock: any other function may run at the same time.
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

  /// Removed ids to which nothing in the index refers any more, so they may be added again. Returns each id once.
  std::vector<TextId> take_forgotten() { return std::exchange(forgotten_, {}); }

  /// The texts that TextMatcher(wanted, match) would accept, and perhaps others (see Found::verified). All texts if
  /// `wanted` is empty. REQUIRES: `wanted` is folded UTF-8; match is not TextMatch::words; for an index of
  /// grams, match is not TextMatch::phrase.
  Found find(std::string_view wanted, TextMatch match) const;

  /// Plans the maintenance due, if any. `everything`: put all texts into segments and merge these into one, or into one
  /// besides a much larger one. Cheap: it copies the recent texts. A later call invalidates a Maintenance that has not
  /// been installed yet.
  std::optional<Maintenance> maintenance(bool everything = false);

  /// Installs the result of run(). Returns false, without effect, if `done` is not the latest Maintenance of this
  /// index.
  bool install(Maintenance&& done);

  IndexedWords words() const { return words_; }
  /// Bytes allocated, without adopted segments.
  std::size_t memory_bytes() const;
  /// The number of texts that find() can return.
  std::size_t size() const { return size_; }
  std::size_t segments() const { return segments_.size(); }

  /// Calls `visit(bytes)` for each segment. If there are no recent texts, the segments and dead() are the whole index.
  template <typename Visit>
  void each_segment(Visit visit) const {
    for (const Part& part : segments_) visit(part.segment->bytes());
  }
  bool has_recent() const { return !recent_.slots.empty(); }
  /// Removed ids that are still in a segment. After adopting the segments, remove() them again.
  std::vector<TextId> dead() const { return dead_.ids(); }

  /// Adds a segment from bytes that each_segment() has visited earlier; they must stay valid as long as `owner` lives.
  /// False if they are malformed or from a host with another byte order. find() never reads outside the bytes, whatever
  /// they are. The ids in them are not checked: they may be unknown to the caller, or appear twice.
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
      /// Removed after the latest Maintenance had copied it, so it may become a dead id of a new segment.
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
  bool nothing_due_ = false;  // no merge is due until the segments change
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
