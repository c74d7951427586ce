#include "epg/index/word_segment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "wire/prefetch.h"

namespace receiverd::epg {

using namespace segment_format;

bool read_number(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t& value) {
  std::uint64_t sum = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at == end) return false;
    const std::uint8_t byte = *at++;
    sum |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      value = static_cast<std::uint32_t>(sum);
      return sum <= 0xFFFFFFFF;
    }
  }
  return false;
}

namespace {

constexpr std::uint32_t kNumber = sizeof(std::uint32_t);

constexpr std::ptrdiff_t kStride = 16;

/// Bytes of postings that can be read in the time it takes to check one text.
constexpr std::size_t kPostingBytesPerTextCheck = 64;

/// One word's head in the vocabulary.
struct WordHead {
  std::uint32_t shared = 0;
  std::uint32_t added = 0;
};

inline bool read_head(const std::uint8_t*& at, const std::uint8_t* end, WordHead& head) {
  if (at == end) return false;
  const std::uint8_t byte = *at++;
  head.shared = byte >> 4;
  head.added = byte & 15;
  if (head.shared < 15 && head.added < 15) return head.added <= static_cast<std::size_t>(end - at);
  std::uint32_t more = 0;
  if (head.shared == 15) {
    if (!read_number(at, end, more) || more > 0xFFFFFFF0 - 15) return false;
    head.shared += more;
  }
  if (head.added == 15) {
    if (!read_number(at, end, more) || more > 0xFFFFFFF0 - 15) return false;
    head.added += more;
  }
  return head.added <= static_cast<std::size_t>(end - at);
}

/// Moves the elements of the ascending `numbers` that are also in the list to the front. Returns their number.
std::size_t intersect_with_list(std::span<std::uint32_t> numbers, std::span<const std::uint8_t> list) {
  std::size_t kept = 0;
  std::size_t at = 0;
  each_listed(list, [&](std::uint64_t listed) {
    while (at < numbers.size() && numbers[at] < listed) ++at;
    if (at == numbers.size()) return false;
    if (numbers[at] == listed) numbers[kept++] = numbers[at];
    return true;
  });
  return kept;
}

/// Quickly rules out most words that do not contain `wanted`. Compares eight positions at a time with its last two
/// bytes (or its only byte), without a branch on the content, which processors could not predict.
class SubstringFilter {
 public:
  explicit SubstringFilter(std::string_view wanted)
      : pair_(wanted.size() > 1),
        before_(static_cast<std::uint8_t>(pair_ ? wanted[wanted.size() - 2] : 0)),
        last_(static_cast<std::uint8_t>(wanted.back())) {}

  /// False if no occurrence of `wanted` ends in `word` after byte `begin`. May read kStride bytes past the word.
  bool may_end(const char* word, std::size_t begin, std::size_t end) const {
    if (pair_ && begin > 0 && static_cast<std::uint8_t>(word[begin - 1]) == before_ &&
        static_cast<std::uint8_t>(word[begin]) == last_) {
      return true;
    }
    for (std::size_t at = begin; at < end; at += 8) {
      std::uint64_t differ = load(word + at) ^ (pair_ ? before_ : last_) * kEachByte;
      if (pair_) differ |= load(word + at + 1) ^ last_ * kEachByte;
      if (((differ - kEachByte) & ~differ & kEachByte << 7) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint64_t kEachByte = 0x0101010101010101;

  static std::uint64_t load(const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
  }

  bool pair_;
  std::uint8_t before_;
  std::uint8_t last_;
};

}  // namespace

void TextSet::set_all() {
  std::ranges::fill(groups_, ~std::uint64_t{0});
  clear_tail();
}

void TextSet::invert() {
  for (std::uint64_t& group : groups_) group = ~group;
  clear_tail();
}

void TextSet::intersect(const TextSet& other) {
  for (std::size_t at = 0; at < groups_.size(); ++at) groups_[at] &= other.groups_[at];
}

void TextSet::unite(const TextSet& other) {
  for (std::size_t at = 0; at < groups_.size(); ++at) groups_[at] |= other.groups_[at];
}

void TextSet::unite(std::span<const std::uint8_t> bits) {
  for (std::size_t at = 0; at < groups_.size(); ++at, bits = bits.subspan(std::min<std::size_t>(8, bits.size()))) {
    std::uint64_t group = 0;
    std::memcpy(&group, bits.data(), std::min<std::size_t>(8, bits.size()));
    if constexpr (std::endian::native == std::endian::big) group = __builtin_bswap64(group);
    groups_[at] |= group;
  }
  clear_tail();
}

bool TextSet::has_more_than(std::size_t texts) const {
  std::size_t count = 0;
  for (std::size_t at = 0; at < groups_.size() && count <= texts; ++at) {
    if (groups_[at] != 0) count += static_cast<std::size_t>(std::popcount(groups_[at]));
  }
  return count > texts;
}

WordSegment::Cursor::Cursor(const WordSegment& segment, std::uint32_t block, std::uint32_t end)
    : segment_(&segment), block_(block), end_block_(end), word_(kStride * 4) {}

bool WordSegment::Cursor::open_block() {
  if (block_ >= end_block_) return false;
  const WordSegment& segment = *segment_;
  const std::size_t entry = 2 * std::size_t{block_};
  const Section words = segment.subsection(segment.vocabulary_, segment.number(segment.blocks_, entry),
                                           segment.number(segment.blocks_, entry + 2));
  const Section postings = segment.subsection(segment.postings_, segment.number(segment.blocks_, entry + 1),
                                              segment.number(segment.blocks_, entry + 3));
  at_ = words.data();
  end_ = at_ + words.size();
  postings_at_ = postings.data();
  postings_end_ = postings_at_ + postings.size();
  size_ = 0;
  ++block_;
  return true;
}

bool WordSegment::Cursor::next() {
  while (at_ == end_) {
    if (!open_block()) return false;
  }
  WordHead head;
  std::uint32_t length = 0;
  if (!read_head(at_, end_, head) || head.shared > size_) {
    end_block_ = 0;
    at_ = end_;
    return false;
  }
  shared_ = head.shared;
  size_ = shared_ + head.added;
  if (size_ + kStride > word_.size()) word_.resize((size_ + kStride) * 2);
  // Most words are short: copying too many bytes costs less than a loop over the right number.
  if (head.added <= kStride && end_ - at_ >= kStride) {
    std::memcpy(&word_[shared_], at_, kStride);
  } else if (head.added != 0) {
    std::memcpy(&word_[shared_], at_, head.added);
  }
  at_ += head.added;
  if (at_ != end_ && *at_ < 0x80) {
    length = *at_++;
  } else if (!read_number(at_, end_, length)) {
    length = 0xFFFFFFFF;
  }
  postings_.bit_set = length == 0;
  if (length == 0) length = (segment_->header_.texts + 7) / 8;
  if (length > static_cast<std::size_t>(postings_end_ - postings_at_)) {
    end_block_ = 0;
    at_ = end_;
    return false;
  }
  postings_.bytes = {postings_at_, length};
  postings_at_ += length;
  return true;
}

std::shared_ptr<const WordSegment> WordSegment::open(std::shared_ptr<const void> owner,
                                                     std::span<const std::byte> bytes) {
  std::shared_ptr<WordSegment> segment(new WordSegment);
  segment->owner_ = std::move(owner);
  segment->bytes_ = bytes;
  if (!segment->read_header()) return nullptr;
  return segment;
}

bool WordSegment::read_header() {
  Header& header = header_;
  if (bytes_.size() < sizeof header) return false;
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (header.mark != kMark || header.end > bytes_.size() || header.gram_bits > kMaxGramBits) return false;
  bytes_ = bytes_.first(header.end);

  std::uint64_t at = sizeof header;
  bool fits = true;
  const auto take = [&](std::uint64_t end) -> Section {
    fits = fits && end >= at && end <= bytes_.size();
    if (!fits) return {};
    const Section section{reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at,
                          static_cast<std::size_t>(end - at)};
    at = end;
    return section;
  };
  const auto take_numbers = [&](std::uint64_t count) { return take(at + count * kNumber); };
  postings_ = take(header.postings_end);
  vocabulary_ = take(header.vocabulary_end);
  ids_ = take(header.ids_end);
  gram_lists_ = take(header.gram_lists_end);
  letters_ = take(header.letters_end);
  id_groups_ = take_numbers((std::uint64_t{header.texts} + kGroupTexts - 1) / kGroupTexts * 2);
  blocks_ = take_numbers((std::uint64_t{header.blocks} + 1) * 2);
  grams_ = header.gram_bits == 0 ? Section{} : take_numbers((1U << header.gram_bits) + 1);
  letter_table_ = take_numbers((std::uint64_t{header.letters} + 1) * 2);
  if (!fits || at != bytes_.size()) return false;

  // Ascending, so that no byte belongs to two blocks, and scanning all blocks takes time in proportion to the bytes.
  for (std::size_t i = 2; i < blocks_.size() / kNumber; ++i) {
    if (number(blocks_, i) < number(blocks_, i - 2)) return false;
  }
  if (!ids_fit()) return false;
  for (std::uint32_t block = 0; block < header.blocks; ++block) block_keys_.push_back(word_key(first_word(block)));
  return true;
}

bool WordSegment::ids_fit() const {
  for (std::uint32_t begin = 0; begin < header_.texts; begin += kGroupTexts) {
    const std::uint32_t group = begin / kGroupTexts;
    const std::size_t size = std::size_t{id_width(group)} * std::min(kGroupTexts, header_.texts - begin);
    if (ids_begin(group) > ids_.size() || size > ids_.size() - ids_begin(group)) return false;
  }
  return true;
}

WordSegment::Section WordSegment::subsection(Section section, std::uint64_t begin, std::uint64_t end) const {
  if (begin > end || end > section.size()) return {};
  return section.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

std::string_view WordSegment::first_word(std::uint32_t block) const {
  const Section words = subsection(vocabulary_, number(blocks_, 2 * std::size_t{block}), vocabulary_.size());
  const std::uint8_t* at = words.data();
  WordHead head;
  if (!read_head(at, at + words.size(), head)) return {};
  return {reinterpret_cast<const char*>(at), head.added};
}

std::uint32_t WordSegment::block_of(std::string_view word) const {
  const std::uint64_t key = word_key(word);
  std::uint32_t begin = 0;
  std::uint32_t end = header_.blocks;
  // Finds the first block that begins after the word.
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (block_keys_[middle] < key || (block_keys_[middle] == key && first_word(middle) <= word)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin == 0 ? 0 : begin - 1;
}

void WordSegment::prefetch_block(std::uint32_t block) const {
  const std::uint8_t* const begin =
      vocabulary_.data() + std::min<std::size_t>(number(blocks_, 2 * std::size_t{block}), vocabulary_.size());
  for (std::ptrdiff_t line = 0; line < 4; ++line) wire::prefetch(begin + 64 * line);
}

WordSegment::Estimate WordSegment::estimate(std::string_view wanted, WordPart part) const {
  // Checking a text takes about as long as scanning this many words, or reading some more postings.
  const std::size_t words_per_check = 12 + 3 * average_words_per_text() / 2;
  if (part == WordPart::whole) {
    const auto postings = header_.blocks == 0 ? std::nullopt : postings_of(wanted, block_of(wanted));
    if (!postings) return {};
    return {texts_of(*postings), 4 + postings->bytes.size() / (4 * words_per_check)};
  }
  std::size_t characters = 0;
  std::size_t words = header_.words;
  std::uint32_t last[2] = {};
  for (std::size_t at = 0; at < wanted.size(); ++characters) {
    const std::uint32_t character = next_character(wanted, at);
    if (characters >= 2 && header_.gram_bits != 0) {
      const std::size_t bucket = gram_bucket(last[0], last[1], character, header_.gram_bits);
      const std::size_t blocks =
          this->subsection(gram_lists_, number(grams_, bucket), number(grams_, bucket + 1)).size();
      words = std::min(words, blocks * kBlockWords);
    }
    last[0] = last[1];
    last[1] = character;
  }
  // Rough guess: longer texts match fewer texts.
  const std::size_t texts = characters == 1
                                ? texts_with_letter(wanted)
                                : 1 + (std::size_t{header_.texts} >> (2 * std::min<std::size_t>(characters, 6)));
  if (part == WordPart::beginning) return {texts, characters == 1 ? 8 + texts / 16 : 8};
  return {words == 0 ? 0 : texts * 2, 4 + words / words_per_check};
}

std::size_t WordSegment::texts_of(const Postings& postings) const {
  if (!postings.bit_set) return postings.bytes.size();
  // Counts the bits of a sample: one byte in eight.
  constexpr std::size_t kSampleStep = 8;
  std::size_t bits = 0;
  for (std::size_t at = 0; at < postings.bytes.size(); at += kSampleStep) {
    bits += static_cast<std::size_t>(std::popcount(postings.bytes[at]));
  }
  return std::min<std::size_t>(header_.texts, bits * kSampleStep + 1);
}

std::size_t WordSegment::texts_with_letter(std::string_view wanted) const {
  std::size_t at = 0;
  const Letter found = letter(next_character(wanted, at));
  const std::size_t all = header_.texts;
  switch (found.known) {
    case Letter::Known::in_no_word:
      return 0;
    case Letter::Known::blocks:
      return all / 16;
    case Letter::Known::texts:
      return texts_of({found.list, found.list.size() == (all + 7) / 8});
    case Letter::Known::other_texts:
      return all - std::min(all, texts_of({found.list, found.list.size() == (all + 7) / 8}));
    case Letter::Known::nothing:
      break;
  }
  return all / 2;
}

// Approximate: counts a byte of postings as a word.
std::size_t WordSegment::average_words_per_text() const {
  return header_.texts == 0 ? 0 : postings_.size() / header_.texts;
}

std::optional<WordSegment::Postings> WordSegment::postings_of(std::string_view word, std::uint32_t block) const {
  Cursor cursor(*this, block, block + 1);
  // Number of leading bytes of `word` that the previous candidate had; all candidates so far sort before `word`.
  std::size_t agreed = 0;
  while (cursor.next()) {
    const std::string_view candidate = cursor.word();
    if (cursor.shared() > agreed) continue;
    agreed = cursor.shared();
    const std::size_t comparable = std::min(candidate.size(), word.size());
    while (agreed < comparable && candidate[agreed] == word[agreed]) ++agreed;
    if (agreed < comparable) {
      if (static_cast<std::uint8_t>(candidate[agreed]) > static_cast<std::uint8_t>(word[agreed])) return std::nullopt;
    } else if (candidate.size() >= word.size()) {
      if (candidate.size() > word.size()) return std::nullopt;
      return cursor.postings();
    }
  }
  return std::nullopt;
}

void WordSegment::find_all(std::span<const std::string_view> wanted, std::vector<std::uint32_t>& texts) const {
  if (header_.blocks == 0) return;
  wanted = wanted.first(std::min(wanted.size(), kMaxWantedWords));
  std::array<std::uint32_t, kMaxWantedWords> blocks{};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    blocks[i] = block_of(wanted[i]);
    prefetch_block(blocks[i]);
  }
  std::array<Postings, kMaxWantedWords> found;
  const std::span lists = std::span(found).first(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto postings = postings_of(wanted[i], blocks[i]);
    if (!postings) return;
    wire::prefetch(postings->bytes.data());
    lists[i] = *postings;
  }
  std::sort(lists.begin(), lists.end(),
            [](const Postings& a, const Postings& b) { return a.bytes.size() < b.bytes.size(); });
  const std::size_t begin = texts.size();
  read(lists.front(), 0, texts);
  for (const Postings& postings : lists.subspan(1)) {
    if ((texts.size() - begin) * kPostingBytesPerTextCheck < postings.bytes.size()) return;
    const auto from = texts.begin() + static_cast<std::ptrdiff_t>(begin);
    if (postings.bit_set) {
      texts.erase(
          std::remove_if(from, texts.end(),
                         [&](std::uint32_t text) { return (postings.bytes[text >> 3] >> (text & 7) & 1) == 0; }),
          texts.end());
      continue;
    }
    const std::size_t kept = intersect_with_list(std::span(texts).subspan(begin), postings.bytes);
    texts.resize(begin + kept);
  }
}

void WordSegment::find(std::string_view wanted, WordPart part, TextSet& set) const {
  if (header_.blocks == 0) return;
  if (part == WordPart::whole) {
    if (const auto postings = postings_of(wanted, block_of(wanted))) read(*postings, set);
    return;
  }
  if (part == WordPart::beginning) {
    for (Cursor cursor(*this, block_of(wanted), header_.blocks); cursor.next();) {
      const bool agrees = cursor.word().starts_with(wanted);
      if (agrees) read(cursor.postings(), set);
      if (!agrees && cursor.word() > wanted) return;
    }
    return;
  }
  if (part == WordPart::anywhere && find_letter(wanted, set)) return;
  std::vector<std::uint32_t> blocks;
  if (!find_blocks(wanted, blocks)) {
    find_in_blocks(0, header_.blocks, wanted, part, set);
    return;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i + 1 < blocks.size()) prefetch_block(blocks[i + 1]);
    find_in_blocks(blocks[i], blocks[i] + 1, wanted, part, set);
  }
}

void WordSegment::find_in_blocks(std::uint32_t begin, std::uint32_t end, std::string_view wanted, WordPart part,
                                 TextSet& set) const {
  Cursor cursor(*this, begin, end);
  if (part == WordPart::end) {
    while (cursor.next()) {
      const std::string_view word = cursor.word();
      if (!word.empty() && word.back() == wanted.back() && word.ends_with(wanted)) read(cursor.postings(), set);
    }
    return;
  }
  const SubstringFilter filter(wanted);
  // Where the first occurrence of `wanted` in the previous word ended: an occurrence in the shared bytes need not be
  // found again.
  std::size_t hit_end = std::string_view::npos;
  while (cursor.next()) {
    const std::string_view word = cursor.word();
    const std::size_t shared = cursor.shared();
    if (hit_end > shared) {
      const std::size_t from = shared < wanted.size() ? 0 : shared - wanted.size() + 1;
      const std::size_t at = filter.may_end(word.data(), shared, word.size()) ? word.find(wanted, from) : word.npos;
      hit_end = at == word.npos ? at : at + wanted.size();
    }
    if (hit_end != word.npos) read(cursor.postings(), set);
  }
}

WordSegment::Letter WordSegment::letter(std::uint32_t character) const {
  using Known = Letter::Known;
  if (header_.gram_bits == 0 || header_.words < kMinWordsForLetters || letter_code(character) == kLetterCodes) {
    return {};
  }
  for (std::size_t i = 0; i < header_.letters; ++i) {
    const std::uint32_t entry = number(letter_table_, 2 * i);
    if ((entry & ~(kInverted | kBlocks)) != character) continue;
    const Section list = subsection(letters_, number(letter_table_, 2 * i + 1), number(letter_table_, 2 * i + 3));
    if ((entry & kBlocks) != 0) return {Known::blocks, list};
    return {(entry & kInverted) != 0 ? Known::other_texts : Known::texts, list};
  }
  return {Known::in_no_word, {}};
}

bool WordSegment::find_letter(std::string_view wanted, TextSet& set) const {
  std::size_t at = 0;
  const Letter found = letter(next_character(wanted, at));
  if (at != wanted.size()) return false;
  if (found.known == Letter::Known::in_no_word) return true;
  if (found.known != Letter::Known::texts && found.known != Letter::Known::other_texts) return false;
  TextSet texts(set.size());
  read({found.list, found.list.size() == (header_.texts + 7) / 8}, texts);
  if (found.known == Letter::Known::other_texts) texts.invert();
  set.unite(texts);
  return true;
}

bool WordSegment::find_blocks(std::string_view wanted, std::vector<std::uint32_t>& blocks) const {
  if (header_.gram_bits == 0) return false;
  constexpr std::size_t kMaxGrams = 16;
  Section lists[kMaxGrams];
  std::size_t count = 0;
  std::uint32_t last[2] = {};
  std::size_t characters = 0;
  for (std::size_t at = 0; at < wanted.size() && count < kMaxGrams;) {
    const std::uint32_t character = next_character(wanted, at);
    if (++characters > 2) {
      const std::size_t bucket = gram_bucket(last[0], last[1], character, header_.gram_bits);
      lists[count++] = subsection(gram_lists_, number(grams_, bucket), number(grams_, bucket + 1));
    }
    last[0] = last[1];
    last[1] = character;
  }
  // The wanted text is too short for a gram, but one of its letters may be rare.
  for (std::size_t at = 0; at < wanted.size() && characters < 3;) {
    const Letter found = letter(next_character(wanted, at));
    if (found.known == Letter::Known::in_no_word) return true;
    if (found.known == Letter::Known::blocks) lists[count++] = found.list;
  }
  if (count == 0) return false;
  std::sort(lists, lists + count, [](const Section& a, const Section& b) { return a.size() < b.size(); });
  each_listed(lists[0], [&](std::uint64_t block) {
    if (block >= header_.blocks) return false;
    blocks.push_back(static_cast<std::uint32_t>(block));
    return true;
  });
  for (std::size_t i = 1; i < count; ++i) {
    // Stop where reading a list costs more than scanning the blocks that it may rule out.
    if (blocks.size() * 2 * kBlockWords < lists[i].size()) break;
    blocks.resize(intersect_with_list(blocks, lists[i]));
  }
  return true;
}

void WordSegment::read(const Postings& postings, TextSet& set) const {
  if (postings.bit_set) {
    set.unite(postings.bytes);
    return;
  }
  each_listed(postings.bytes, [&](std::uint64_t text) {
    if (text >= header_.texts) return false;
    set.set(static_cast<std::uint32_t>(text));
    return true;
  });
}

void WordSegment::read(const Postings& postings, std::uint32_t offset, std::vector<std::uint32_t>& out) const {
  if (!postings.bit_set) {
    each_listed(postings.bytes, [&](std::uint64_t text) {
      if (text >= header_.texts) return false;
      out.push_back(static_cast<std::uint32_t>(text) + offset);
      return true;
    });
    return;
  }
  for (std::size_t at = 0; at < postings.bytes.size(); ++at) {
    for (std::uint32_t bits = postings.bytes[at]; bits != 0; bits &= bits - 1) {
      const std::uint32_t text =
          static_cast<std::uint32_t>(at * 8) + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (text < header_.texts) out.push_back(text + offset);
    }
  }
}

std::vector<TextId> WordSegment::ids() const {
  std::vector<TextId> ids(header_.texts);
  for (std::uint32_t begin = 0; begin < header_.texts; begin += kGroupTexts) {
    const IdGroup group = id_group(begin / kGroupTexts);
    const std::uint32_t count = std::min(kGroupTexts, header_.texts - begin);
    for (std::uint32_t place = 0; place < count; ++place) ids[begin + place] = group[place];
  }
  return ids;
}

}  // namespace receiverd::epg
