// Which texts of a text column have a word, a part of a word or a run of characters. An index of tokens (words.h) finds
// all of it; one of grams takes more memory and finds runs of characters sooner.
//
//   recent texts    the latest ones, folded; find() looks at them one by one
//   segments        word_segment.h: immutable, of similar sizes in tiers; kTier of one tier become one of the next
//   dead ids        removed, but still in a segment; a merge drops them
//
// The heavy work is in Maintenance, in three steps, so that nobody waits for it: maintenance() notes what is due,
// run() does it without looking at the index, install() puts it in place.
//
// Thread safety: one thread at a time changes the index: add, remove, take_forgotten, maintenance, install, adopt.
// No reader (any const function) may be at work during add, remove, install and adopt; these take time in proportion
// to the recent texts at most. Readers may be at work during maintenance() and take_forgotten(). Maintenance::run()
// needs no lock: anything may go on besides it.
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

#include "epg/query.h"
#include "epg/text_pool.h"
#include "epg/word_segment.h"
#include "epg/word_segment_writer.h"

namespace receiverd::epg {

class WordIndex {
 public:
  class Maintenance;

  /// What find() gives.
  struct Found {
    /// Distinct, in no particular order.
    std::vector<TextId> ids;
    /// False: some of them may not agree; ask TextMatcher about each.
    bool verified = true;
  };

  explicit WordIndex(IndexedWords words = IndexedWords::tokens) : words_(words) {}

  /// A text that was not there. REQUIRES: `id` is not in the index, or was given by take_forgotten() since it was
  /// removed; `folded` as fold() makes it.
  void add(TextId id, std::string_view folded);

  /// find() gives it no more. REQUIRES: `id` was added (or is in an adopted segment) and not removed since.
  void remove(TextId id);

  /// Removed ids that may be added again, each given once: nothing speaks of them any more.
  std::vector<TextId> take_forgotten() { return std::exchange(forgotten_, {}); }

  /// The texts that agree with `wanted` as TextMatcher(wanted, match) says, and perhaps others (see verified). For an
  /// empty `wanted` all of them. REQUIRES: `wanted` is folded UTF-8; match is not TextMatch::words; an index of grams
  /// is not asked for TextMatch::phrase.
  Found find(std::string_view wanted, TextMatch match) const;

  /// What is due, if anything is; `everything`: no text shall stay outside of the segments, and they shall become one,
  /// or one beside a large one. Cheap: it copies the recent texts. Another one made before it is installed replaces it.
  std::optional<Maintenance> maintenance(bool everything = false);

  /// Puts in place what run() has made. False, without effect, when it was not the latest of this index.
  bool install(Maintenance&& done);

  IndexedWords words() const { return words_; }
  /// Bytes allocated; segments that were adopted lie elsewhere.
  std::size_t memory_bytes() const;
  /// Texts that find() can give.
  std::size_t size() const { return size_; }
  std::size_t segments() const { return segments_.size(); }

  /// Calls `visit(bytes)` for each segment. Together with dead() this is the index, if there are no recent texts.
  template <typename Visit>
  void each_segment(Visit visit) const {
    for (const Part& part : segments_) visit(part.segment->bytes());
  }
  bool has_recent() const { return !recent_.slots.empty(); }
  /// The ids that are in a segment, but removed; to be removed again after the segments have been adopted.
  std::vector<TextId> dead() const { return dead_.ids(); }

  /// One more segment, from bytes that each_segment() once gave, good as long as `owner` lives. False when they are
  /// malformed or of a host with another byte order. Whatever the bytes are, find() reads nothing else; but its ids are
  /// then what the bytes say, perhaps none that the caller knows, or the same twice.
  bool adopt(std::shared_ptr<const void> owner, std::span<const std::byte> segment);

 private:
  struct Part {
    std::shared_ptr<const WordSegment> segment;
    bool adopted = false;
    /// How many of its texts are dead, as of the last count.
    std::uint32_t dead = 0;
  };
  struct Recent {
    struct Slot {
      TextId id = 0;
      std::uint32_t begin = 0;
      std::uint32_t size = 0;
      bool removed = false;
      /// Removed when the latest Maintenance had it in hand already: it may come back as a dead id of a segment.
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
  TextIdSet recent_ids_;
  TextIdSet dead_;
  std::vector<TextId> forgotten_;
  std::size_t size_ = 0;
  std::size_t removed_since_count_ = 0;
  std::size_t flushing_ = 0;  // the first slots of recent_, which are in the latest Maintenance
  std::uint64_t serial_ = 0;  // of the latest Maintenance
  bool nothing_due_ = false;  // with the segments as they are
};

/// What WordIndex::maintenance() found due.
class WordIndex::Maintenance {
 public:
  /// Makes the new segments. May throw std::bad_alloc; then it can be thrown away.
  void run();

 private:
  friend class WordIndex;

  /// Segments that become one.
  struct Merge {
    std::vector<std::shared_ptr<const WordSegment>> segments;
    bool with_recent = false;
  };

  void plan(const std::vector<Part>& parts, std::size_t recent_bytes, bool everything);

  IndexedWords words_ = IndexedWords::tokens;
  std::uint64_t serial_ = 0;
  std::size_t slots_ = 0;  // of the recent texts
  Recent recent_;
  TextIdSet dead_;
  std::vector<Merge> merges_;
  std::vector<std::shared_ptr<const WordSegment>> made_;
  std::vector<TextId> dropped_;
  bool done_ = false;
};

}  // namespace receiverd::epg
