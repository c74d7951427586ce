#include "epg/index/word_index.h"

#include <algorithm>
#include <bit>

#include "epg/index/text_matcher.h"
#include "epg/text/words.h"

namespace receiverd::epg {
namespace {

// find() scans the recent texts. Scanning this many takes some tens of microseconds.
constexpr std::size_t kMaxRecentTexts = 1024;
constexpr std::size_t kMaxRecentBytes = 256 * 1024;
/// Recent texts beyond this are split into several segments, to limit the cost of building one.
constexpr std::size_t kMaxBatchBytes = 2 * 1024 * 1024;
/// This many segments of one tier are merged into one of the next. Each text is written once per tier, about
/// log(size) / log(kSegmentsPerTier) times.
constexpr std::size_t kSegmentsPerTier = 4;
constexpr std::size_t kLowestTierBytes = 64 * 1024;
/// Offsets in a segment have 32 bits.
constexpr std::size_t kMaxMergedBytes = std::size_t{1} << 30;
/// When all segments are to be merged, the largest is left alone if it has more than this many times the bytes of all
/// others together.
constexpr std::size_t kMaxSizeRatio = 16;
/// A segment is rebuilt once more than one in this many of its texts is dead.
constexpr std::size_t kDeadFraction = 4;

bool is_gram(std::string_view text) {
  std::size_t characters = 0;
  for (const char byte : text) characters += (static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0;
  return characters >= 3;
}

/// One token of the wanted text.
struct Piece {
  std::string_view token;
  WordPart part = WordPart::whole;
  WordSegment::Estimate estimate{};
};

struct Pieces {
  std::vector<Piece> pieces;
  /// The pieces alone decide whether a text matches.
  bool exact = false;
};

Pieces pieces_of(std::string_view wanted, TextMatch match) {
  Pieces result;
  std::vector<Piece>& pieces = result.pieces;
  std::vector<CharacterKind> kinds;
  for (std::size_t at = 0; at < wanted.size();) {
    const Token token = next_token(wanted, at);
    pieces.push_back({token.text});
    kinds.push_back(token.kind);
  }
  const bool has_words = std::any_of(kinds.begin(), kinds.end(), [](auto kind) { return kind != CharacterKind::none; });
  if (match == TextMatch::phrase && !has_words) match = TextMatch::contains;
  const bool anchored = match == TextMatch::prefix || match == TextMatch::suffix || match == TextMatch::exact;
  if (match == TextMatch::phrase) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (kinds[i] != CharacterKind::none) pieces[kept++] = pieces[i];
    }
    pieces.resize(kept);
  } else if (!pieces.empty()) {
    // A run of letters at an open end may continue in the text.
    const bool open_begin = match == TextMatch::contains || match == TextMatch::suffix;
    const bool open_end = match == TextMatch::contains || match == TextMatch::prefix || match == TextMatch::word_prefix;
    if (open_begin && kinds.front() == CharacterKind::letter) pieces.front().part = WordPart::end;
    if (open_end && kinds.back() == CharacterKind::letter) {
      pieces.back().part = pieces.back().part == WordPart::end ? WordPart::anywhere : WordPart::beginning;
    }
  }
  result.exact = pieces.size() == 1 && !anchored;
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.part != b.part ? a.part < b.part : a.token < b.token; });
  pieces.erase(std::unique(pieces.begin(), pieces.end(),
                           [](const Piece& a, const Piece& b) { return a.part == b.part && a.token == b.token; }),
               pieces.end());
  return result;
}

/// The texts of one segment that have all pieces. May include others if the texts have to be compared afterwards
/// anyway.
TextSet find_in(const WordSegment& segment, Pieces& wanted) {
  TextSet found(segment.texts());
  std::vector<Piece>& pieces = wanted.pieces;
  if (pieces.empty()) {
    found.set_all();
    return found;
  }
  if (pieces.size() == 1) {
    segment.find(pieces.front().token, pieces.front().part, found);
    return found;
  }
  // The rarest pieces come first. A piece is skipped if finding it costs more than checking the remaining texts.
  for (Piece& piece : pieces) {
    piece.estimate = segment.estimate(piece.token, piece.part);
    if (piece.estimate.texts == 0) return found;
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.estimate.texts < b.estimate.texts; });
  segment.find(pieces.front().token, pieces.front().part, found);
  for (const Piece& piece : std::span(pieces).subspan(1)) {
    // A piece that most texts have distinguishes few of them.
    const std::size_t others = segment.texts() - std::min<std::size_t>(piece.estimate.texts, segment.texts());
    if (others == 0) break;
    const std::uint64_t worth = std::uint64_t{piece.estimate.cost} * segment.texts() / others;
    if (!found.has_more_than(static_cast<std::size_t>(worth))) continue;
    TextSet other(segment.texts());
    segment.find(piece.token, piece.part, other);
    found.intersect(other);
  }
  return found;
}

std::size_t tier_of(std::size_t bytes) {
  std::size_t tier = 0;
  for (std::uint64_t limit = kLowestTierBytes * 2; bytes > limit; limit *= kSegmentsPerTier) ++tier;
  return tier;
}

}  // namespace

void WordIndex::add(TextId id, std::string_view folded) {
  recent_.slots.push_back(
      {id, static_cast<std::uint32_t>(recent_.texts.size()), static_cast<std::uint32_t>(folded.size()), false, false});
  recent_.texts += folded;
  ++size_;
}

void WordIndex::remove(TextId id) {
  --size_;
  const auto begin = recent_.slots.begin();
  const auto slot =
      std::find_if(begin, recent_.slots.end(), [&](const auto& one) { return one.id == id && !one.removed; });
  if (slot == recent_.slots.end()) {
    dead_.add(id);
    ++removed_since_count_;
    return;
  }
  slot->removed = true;
  slot->held = static_cast<std::size_t>(slot - begin) < flushing_;
  if (!slot->held) forgotten_.push_back(id);
}

WordIndex::Found WordIndex::find(std::string_view wanted, TextMatch match) const {
  Found found;
  if (words_ == IndexedWords::grams) {
    find_grams(wanted, match, found);
  } else {
    find_tokens(wanted, match, found);
  }
  if (recent_.slots.empty()) return found;
  const TextMatcher matcher(std::string(wanted), match);
  for (const Recent::Slot& slot : recent_.slots) {
    if (!slot.removed && matcher.matches(recent_.text(slot))) found.ids.push_back(slot.id);
  }
  return found;
}

void WordIndex::find_tokens(std::string_view wanted, TextMatch match, Found& found) const {
  Pieces pieces = pieces_of(wanted, match);
  found.verified = pieces.exact || (wanted.empty() && match != TextMatch::exact);
  for (const Part& part : segments_) {
    const TextSet texts = find_in(*part.segment, pieces);
    part.segment->each_id(texts, [&](std::uint32_t, TextId id) {
      if (!dead_.has(id)) found.ids.push_back(id);
    });
  }
}

void WordIndex::find_grams(std::string_view wanted, TextMatch match, Found& found) const {
  std::vector<std::string_view> grams;
  grams.reserve(WordSegment::kMaxWantedWords);
  std::size_t characters = 0;
  for (std::size_t at = 0; at < wanted.size(); ++characters) {
    const std::string_view gram = next_gram(wanted, at);
    // Adjacent grams and the last one: overlapping grams would rule out few more texts.
    const bool last = gram.data() + gram.size() == wanted.data() + wanted.size();
    if ((characters % 3 == 0 && grams.size() + 1 < WordSegment::kMaxWantedWords) || last) grams.push_back(gram);
    if (last) break;
  }
  const bool whole = grams.size() > 1 || is_gram(wanted);
  found.verified = match == TextMatch::contains ? grams.size() <= 1 : wanted.empty() && match != TextMatch::exact;
  std::vector<std::uint32_t> some;
  for (const Part& part : segments_) {
    const WordSegment& segment = *part.segment;
    if (whole) {
      some.clear();
      segment.find_all(grams, some);
      for (const std::uint32_t text : some) {
        if (const TextId id = segment.id(text); !dead_.has(id)) found.ids.push_back(id);
      }
      continue;
    }
    TextSet texts(segment.texts());
    if (wanted.empty()) {
      texts.set_all();
    } else {
      segment.find(wanted, WordPart::beginning, texts);
    }
    segment.each_id(texts, [&](std::uint32_t, TextId id) {
      if (!dead_.has(id)) found.ids.push_back(id);
    });
  }
}

std::optional<WordIndex::Maintenance> WordIndex::maintenance(bool everything) {
  const bool full = recent_.slots.size() >= kMaxRecentTexts || recent_.texts.size() >= kMaxRecentBytes;
  const bool flush = full || (everything && !recent_.slots.empty());
  if (removed_since_count_ * kDeadFraction * 4 > size_ + removed_since_count_) count_dead();

  if (!flush && !everything && nothing_due_) return std::nullopt;
  Maintenance work;
  work.words_ = words_;
  work.plan(segments_, flush ? std::max<std::size_t>(recent_.texts.size() / 2, 1) : 0, everything);
  if (!flush && work.merges_.empty()) {
    nothing_due_ = true;
    return std::nullopt;
  }
  work.serial_ = ++serial_;
  work.dead_ = dead_;
  // The Maintenance before this one no longer holds them.
  for (std::size_t i = 0; i < flushing_; ++i) {
    if (std::exchange(recent_.slots[i].held, false)) forgotten_.push_back(recent_.slots[i].id);
  }
  flushing_ = 0;
  if (flush) {
    work.recent_ = recent_;
    work.slots_ = flushing_ = recent_.slots.size();
  }
  return work;
}

void WordIndex::Maintenance::plan(const std::vector<Part>& parts, std::size_t recent_bytes, bool everything) {
  std::vector<Merge> groups;
  for (const Part& part : parts) {
    const std::size_t texts = part.segment->texts();
    const std::size_t bytes = part.segment->bytes().size();
    const std::size_t living =
        texts == 0 ? 0 : bytes - static_cast<std::size_t>(std::uint64_t{bytes} * part.dead / texts);
    groups.push_back({{part.segment}, false, living, part.dead * kDeadFraction > texts});
  }
  if (recent_bytes > 0) groups.push_back({{}, true, recent_bytes, true});
  for (bool again = true; again;) {
    again = false;
    for (std::size_t tier = 0; tier < 64 && !again; ++tier) {
      const auto middle = std::stable_partition(groups.begin(), groups.end(),
                                                [&](const Merge& group) { return tier_of(group.bytes) != tier; });
      if (static_cast<std::size_t>(groups.end() - middle) < kSegmentsPerTier) continue;
      Merge merged;
      for (auto group = middle; group != groups.end(); ++group) merged.take(*group);
      if (merged.bytes > kMaxMergedBytes) continue;
      groups.erase(middle, groups.end());
      groups.push_back(std::move(merged));
      again = true;
    }
  }
  if (everything && groups.size() > 1) {
    // find() slows down with every segment, so all are merged. The largest is left alone if the others are much
    // smaller.
    std::iter_swap(groups.begin(), std::ranges::max_element(groups, {}, &Merge::bytes));
    Merge rest;
    std::for_each(groups.begin() + 1, groups.end(), [&](const Merge& group) { rest.take(group); });
    if (rest.bytes * kMaxSizeRatio >= groups.front().bytes && groups.front().bytes + rest.bytes <= kMaxMergedBytes) {
      groups.front().take(rest);
      groups.resize(1);
    } else if (groups.size() > 2 && rest.bytes <= kMaxMergedBytes) {
      groups.resize(1);
      groups.push_back(std::move(rest));
    }
  }
  std::erase_if(groups, [](const Merge& group) { return !group.due; });
  merges_ = std::move(groups);
}

void WordIndex::Maintenance::run() {
  for (Merge& merge : merges_) {
    std::vector<std::shared_ptr<const WordSegment>> sources = merge.segments;
    if (merge.with_recent) {
      std::vector<IndexedText> texts;
      std::size_t bytes = 0;
      const auto flush = [&] {
        if (!texts.empty()) sources.push_back(make_segment(texts, words_));
        texts.clear();
        bytes = 0;
      };
      for (const Recent::Slot& slot : recent_.slots) {
        if (slot.removed) continue;
        texts.push_back({slot.id, recent_.text(slot)});
        bytes += slot.size;
        if (bytes >= kMaxBatchBytes) flush();
      }
      flush();
      recent_ = {};
    }
    if (sources.size() == 1 && merge.with_recent) {
      made_.push_back(sources.front());
    } else if (auto segment = merge_segments(sources, dead_, dropped_, words_)) {
      made_.push_back(std::move(segment));
    }
  }
  done_ = true;
}

bool WordIndex::install(Maintenance&& done) {
  if (!done.done_ || done.serial_ != serial_) return false;
  ++serial_;
  nothing_due_ = false;
  for (const Maintenance::Merge& merge : done.merges_) {
    for (const auto& gone : merge.segments) {
      std::erase_if(segments_, [&](const Part& part) { return part.segment == gone; });
    }
  }
  for (auto& segment : done.made_) segments_.push_back({std::move(segment)});
  for (const TextId id : done.dropped_) {
    dead_.erase(id);
    forgotten_.push_back(id);
  }
  drop_recent(done.slots_);
  flushing_ = 0;
  return true;
}

void WordIndex::drop_recent(std::size_t count) {
  if (count == 0) return;
  std::vector<Recent::Slot>& slots = recent_.slots;
  for (std::size_t i = 0; i < count; ++i) {
    if (!slots[i].held) continue;
    dead_.add(slots[i].id);
    ++removed_since_count_;
  }
  const std::uint32_t end = slots[count - 1].begin + slots[count - 1].size;
  Recent rest;
  rest.texts = recent_.texts.substr(end);
  rest.slots.assign(slots.begin() + static_cast<std::ptrdiff_t>(count), slots.end());
  for (Recent::Slot& slot : rest.slots) slot.begin -= end;
  std::swap(recent_, rest);
}

void WordIndex::count_dead() {
  removed_since_count_ = 0;
  nothing_due_ = false;
  for (Part& part : segments_) {
    const std::vector<TextId> ids = part.segment->ids();
    part.dead =
        static_cast<std::uint32_t>(std::count_if(ids.begin(), ids.end(), [&](TextId id) { return dead_.has(id); }));
  }
}

std::size_t WordIndex::memory_bytes() const {
  std::size_t bytes = recent_.texts.capacity() + recent_.slots.capacity() * sizeof(Recent::Slot) +
                      dead_.memory_bytes() + segments_.capacity() * sizeof(Part);
  for (const Part& part : segments_) {
    bytes += part.segment->memory_bytes() + (part.adopted ? 0 : part.segment->bytes().size());
  }
  return bytes;
}

bool WordIndex::adopt(std::shared_ptr<const void> owner, std::span<const std::byte> segment) {
  auto opened = WordSegment::open(std::move(owner), segment);
  if (!opened) return false;
  size_ += opened->texts();
  nothing_due_ = false;
  segments_.push_back({std::move(opened), true});
  return true;
}

}  // namespace receiverd::epg
