// Builds segments, from texts or by merging other segments.
//
// While a segment is built, memory holds its input, the segment itself, and its vocabulary and gram lists once more.
// Thread safety: the functions have no state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "epg/index/word_segment.h"

namespace receiverd::epg {

/// A set of text ids: one bit for each up to the largest.
class TextIdSet {
 public:
  bool has(TextId id) const { return id / 64 < bits_.size() && (bits_[id / 64] >> (id % 64) & 1) != 0; }
  void insert(TextId id) {
    if (id / 64 >= bits_.size()) bits_.resize(id / 64 + 1);
    if (has(id)) return;
    bits_[id / 64] |= std::uint64_t{1} << id % 64;
    ++count_;
  }
  void erase(TextId id) {
    if (!has(id)) return;
    bits_[id / 64] &= ~(std::uint64_t{1} << id % 64);
    --count_;
  }
  std::size_t memory_bytes() const { return bits_.capacity() * sizeof(std::uint64_t); }
  /// In ascending order.
  std::vector<TextId> ids() const {
    std::vector<TextId> ids;
    ids.reserve(count_);
    for (TextId id = 0; id < bits_.size() * 64; ++id) {
      if (has(id)) ids.push_back(id);
    }
    return ids;
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::size_t count_ = 0;
};

struct IndexedText {
  TextId id = 0;
  std::string_view folded;
};

/// Builds a segment of `texts`, in order. REQUIRES: the texts are less than 1 GiB.
std::shared_ptr<const WordSegment> make_segment(std::span<const IndexedText> texts, IndexedWords words);

/// Merges all texts of `segments`, one segment after the other, into one segment. Texts in `dead` are left out, and
/// their ids are appended to `forgotten`. Null if no text is left. REQUIRES: all of them use these `words`.
std::shared_ptr<const WordSegment> merge_segments(std::span<const std::shared_ptr<const WordSegment>> segments,
                                                  const TextIdSet& dead, std::vector<TextId>& forgotten,
                                                  IndexedWords words);

}  // namespace receiverd::epg
