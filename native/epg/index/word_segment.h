// A segment: an immutable full-text index of some texts, in one block of bytes that can lie in a mapped file.
//
// What its parts are for (figures: 200,809 events, docs/benchmarks.md):
//
//   vocabulary, postings   A query reads the words once instead of every text that repeats them: the texts of one guide
//                          have 167,000 distinct words. Words are sorted, so a whole word or a beginning is found by
//                          binary search and the reading of a block or two (2.8 us for a rare word in all texts).
//   blocks                 The first bytes of each block's first word are kept in memory (block_keys_), so the binary
//                          search touches no other page of a mapped file.
//   gram lists             A search inside words ("port" in "sports") scans only the blocks with all grams of the
//                          wanted text, instead of all words.
//   letters                One letter is in most words, so that grams and blocks rule out nothing. Its texts are read
//                          from one list (1.4 ms for a letter in all texts; a scan of the texts takes 128 ms).
//
//   header         12 x u32     kMark, counts, ends of the sections (Header)
//   postings       bytes        per word: the texts that have it
//   vocabulary     bytes        per word, in bytewise order, in blocks of kBlockWords or kSmallBlockWords:
//                                 shared 4 bits | added 4 bits | [shared - 15] | [added - 15] | added bytes | postings
//                               `shared` bytes of the previous word in the block, then the added ones; `postings` is
//                               the length of its postings, 0 for a bit set
//   ids            bytes        per group of kGroupTexts texts, for each text:
//                                 id + kGroupTexts - base - place in the group
//                               in 0, 1, 2 or 4 bytes, so nothing for consecutive ids
//   gram lists     bytes        per bucket: the blocks that have a word with such a gram, as postings
//   letters        bytes        per letter below U+0800 that is in a word, as postings: the texts with such a word, or
//                               those without; for a rare letter, the blocks with such a word
//   id groups      2 x u32      per kGroupTexts texts: base | where its `ids` begin, and how wide they are (kIdWidth)
//   blocks         2 x u32      per block and one more: where its vocabulary begins | where its postings begin
//   grams          u32          per bucket and one more: where its list begins
//   letter table   2 x u32      per letter and one more: its UTF-8 bytes and the kind of list (kInverted, kBlocks) |
//                               where it begins
//
// Numbers are in the host's byte order, which the mark identifies. Numbers in sections of bytes are LEB128. The texts
// of a segment are counted from 0. Postings are ascending: the first number, then each number's distance from the
// previous one, less 1; or a bit set (text n is bit n % 8 of byte n / 8) where that is shorter.
//
// A gram is three consecutive characters of a word, hashed to a bucket. Small segments have no letters, and segments of
// IndexedWords other than tokens have neither letters nor gram lists.
//
// Reading damaged bytes is safe: it never leaves them, takes time in proportion to their number, and needs no more
// memory than a bit per text and a number per block. Only the results are meaningless then.
//
// Thread safety: immutable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/index/id_set.h"
#include "epg/index/text_pool.h"

namespace receiverd::epg {

/// What an index treats as words.
enum class IndexedWords : std::uint8_t {
  tokens,        ///< tokens of next_token(), with gram lists and letters for searches inside them
  whole_tokens,  ///< tokens without gram lists and letters: a search inside them scans the vocabulary
  grams          ///< grams of next_gram()
};

/// Where in a word the wanted text has to be.
enum class WordPart : std::uint8_t { whole, beginning, end, anywhere };

/// A set of the texts of one segment.
class TextSet {
 public:
  explicit TextSet(std::uint32_t size) : size_(size), groups_((size + 63) / 64) {}

  std::uint32_t size() const { return size_; }
  void set(std::uint32_t text) { groups_[text / 64] |= std::uint64_t{1} << (text % 64); }
  /// Texts 64 * `number` to 64 * `number` + 63, the first in the lowest bit.
  std::uint64_t group(std::uint32_t number) const { return groups_[number]; }
  void set_all();
  void invert();
  void intersect(const TextSet& other);
  void unite(const TextSet& other);
  /// Adds a bit set as in a segment. REQUIRES: `bits` are (size() + 7) / 8 bytes.
  void unite(std::span<const std::uint8_t> bits);
  /// True if there are more texts than this.
  bool has_more_than(std::size_t texts) const;

 private:
  void clear_tail() {
    if (size_ % 64 != 0) groups_.back() &= (std::uint64_t{1} << (size_ % 64)) - 1;
  }

  std::uint32_t size_;
  std::vector<std::uint64_t> groups_;
};

namespace segment_format {
inline constexpr std::uint32_t kMark = 0x52574932;
inline constexpr std::uint32_t kBlockWords = 32;
/// For words that are mostly looked up one by one: fewer words to read in a block, but more blocks.
inline constexpr std::uint32_t kSmallBlockWords = 16;
inline constexpr std::uint32_t kGroupTexts = 64;
/// Shift of the two highest bits, which encode the width of the ids: 0, 1 or 2 bytes, or 3 for four bytes.
inline constexpr std::uint32_t kIdWidth = 30;
inline constexpr std::uint32_t kInverted = 1U << 31;
inline constexpr std::uint32_t kBlocks = 1U << 30;
inline constexpr std::uint32_t kMaxGramBits = 16;
/// Letters with one or two bytes in UTF-8 have lists of texts, in segments with grams and kMinWordsForLetters words.
inline constexpr std::uint32_t kLetterCodes = 0x800;
inline constexpr std::uint32_t kMinWordsForLetters = 4096;

struct Header {
  std::uint32_t mark = kMark;
  std::uint32_t texts = 0;
  std::uint32_t words = 0;
  std::uint32_t blocks = 0;
  std::uint32_t gram_bits = 0;  ///< buckets = 1 << gram_bits; 0 = no grams
  std::uint32_t letters = 0;
  // Where each section of bytes ends, counted from the first byte of the segment.
  std::uint32_t postings_end = 0;
  std::uint32_t vocabulary_end = 0;
  std::uint32_t ids_end = 0;
  std::uint32_t gram_lists_end = 0;
  std::uint32_t letters_end = 0;
  std::uint32_t end = 0;  ///< of the segment
};

/// The bucket of three characters, each given as its UTF-8 bytes in one number.
inline std::uint32_t gram_bucket(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t bits) {
  return ((a * 0x9E3779B1U ^ b) * 0x85EBCA6BU ^ c) * 0xC2B2AE35U >> (32 - bits);
}

/// The character at `at`, which advances past it, as its UTF-8 bytes in one number. Accepts any bytes.
inline std::uint32_t next_character(std::string_view text, std::size_t& at) {
  std::uint32_t character = static_cast<std::uint8_t>(text[at++]);
  while (at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0) == 0x80 && character < 1U << 24) {
    character = character << 8 | static_cast<std::uint8_t>(text[at++]);
  }
  return character;
}

/// The first 8 bytes of a word as a number that sorts as they do.
inline std::uint64_t word_key(std::string_view word) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < word.size() ? static_cast<std::uint8_t>(word[i]) : 0U);
  return key;
}

/// The code of a letter below kLetterCodes, given as its UTF-8 bytes in one number; kLetterCodes for any other.
inline std::uint32_t letter_code(std::uint32_t character) {
  if (character < 0x80) return character;
  if (character >= 0xC280 && character < 0xE000) return (character >> 8 & 0x1F) << 6 | (character & 0x3F);
  return kLetterCodes;
}
}  // namespace segment_format

/// Reads a LEB128 number of at most 32 bits at `at`, which advances past it. False if there is none before `end`.
bool read_number(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t& value);

/// Calls `visit(number)` for the numbers of an ascending list, until it returns false or the list ends. Numbers have 64
/// bits, so that no bytes can make them overflow: `visit` has to check their range.
template <typename Visit>
void each_listed(std::span<const std::uint8_t> list, Visit visit) {
  const std::uint8_t* at = list.data();
  const std::uint8_t* const end = at + list.size();
  for (std::uint64_t number = 0; at != end; ++number) {
    std::uint32_t gap = *at;
    if (gap < 0x80) {
      ++at;
    } else if (!read_number(at, end, gap)) {
      return;
    }
    number += gap;
    if (!visit(number)) return;
  }
}

class WordSegment {
 public:
  /// One word's postings.
  struct Postings {
    std::span<const std::uint8_t> bytes;
    bool bit_set = false;
  };

  /// Iterates over the words of one block, or of all.
  class Cursor {
   public:
    /// Advances to the next word. False at the end, or if the bytes are malformed.
    bool next();
    /// Valid until next().
    std::string_view word() const { return {word_.data(), size_}; }
    /// How many leading bytes it shares with the previous word; 0 for the first word of a block.
    std::size_t shared() const { return shared_; }
    const Postings& postings() const { return postings_; }

   private:
    friend class WordSegment;
    explicit Cursor(const WordSegment& segment, std::uint32_t block, std::uint32_t end);
    bool open_block();

    const WordSegment* segment_;
    std::uint32_t block_;
    std::uint32_t end_block_;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    const std::uint8_t* postings_at_ = nullptr;
    const std::uint8_t* postings_end_ = nullptr;
    std::vector<char> word_;  // its first size_ bytes
    std::size_t size_ = 0;
    std::size_t shared_ = 0;
    Postings postings_;
  };

  /// Null if the bytes are malformed, of another version or from a host with the other byte order. `bytes` are valid as
  /// long as `owner` lives and need no alignment. Takes time in proportion to the number of blocks, not of words.
  static std::shared_ptr<const WordSegment> open(std::shared_ptr<const void> owner, std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint32_t texts() const { return header_.texts; }
  std::uint32_t words() const { return header_.words; }
  /// Bytes allocated, without bytes().
  std::size_t memory_bytes() const { return sizeof(*this) + block_keys_.capacity() * sizeof(std::uint64_t); }

  /// Adds the texts that have a matching word. REQUIRES: `wanted` is one token, `set` has texts() texts.
  void find(std::string_view wanted, WordPart part, TextSet& set) const;
  /// The expected result and cost of find().
  struct Estimate {
    std::size_t texts = 0;  ///< number of matching texts, tending to be too high; 0: none match
    std::size_t cost = 0;   ///< time, in units of checking one text with TextMatcher
  };
  /// REQUIRES: `wanted` is one token.
  Estimate estimate(std::string_view wanted, WordPart part) const;

  /// Appends the texts that have all of the words to `texts`, ascending. May append others where checking them is
  /// faster than reading further postings. Words beyond kMaxWantedWords are ignored. REQUIRES: `wanted` is not empty.
  static constexpr std::size_t kMaxWantedWords = 8;
  void find_all(std::span<const std::string_view> wanted, std::vector<std::uint32_t>& texts) const;

  Cursor words_from_begin() const { return Cursor(*this, 0, header_.blocks); }
  /// Adds one word's texts to `set`.
  void read(const Postings& postings, TextSet& set) const;
  /// Appends one word's texts, ascending, each plus `offset`, to `out`.
  void read(const Postings& postings, std::uint32_t offset, std::vector<std::uint32_t>& out) const;

  /// Calls `visit(text, id)` for the texts in `set`, ascending.
  template <typename Visit>
  void each_id(const TextSet& set, Visit visit) const;
  TextId id(std::uint32_t text) const {
    return id_group(text / segment_format::kGroupTexts)[text % segment_format::kGroupTexts];
  }
  /// The ids of all texts, in order.
  std::vector<TextId> ids() const;

 private:
  using Section = std::span<const std::uint8_t>;

  WordSegment() = default;
  bool read_header();
  static std::uint32_t number(Section section, std::size_t index) {
    std::uint32_t value = 0;
    std::memcpy(&value, section.data() + index * sizeof value, sizeof value);
    return value;
  }
  bool ids_fit() const;
  Section subsection(Section section, std::uint64_t begin, std::uint64_t end) const;
  std::string_view first_word(std::uint32_t block) const;
  std::uint32_t block_of(std::string_view word) const;
  void prefetch_block(std::uint32_t block) const;
  /// What the segment knows about a letter.
  struct Letter {
    enum class Known : std::uint8_t { nothing, in_no_word, blocks, texts, other_texts };
    Known known = Known::nothing;
    Section list;
  };
  Letter letter(std::uint32_t character) const;
  bool find_letter(std::string_view wanted, TextSet& set) const;
  bool find_blocks(std::string_view wanted, std::vector<std::uint32_t>& blocks) const;
  /// Nothing if no text has the word. REQUIRES: there are words, and `block` is block_of(word).
  std::optional<Postings> postings_of(std::string_view word, std::uint32_t block) const;
  std::size_t average_words_per_text() const;
  std::size_t texts_of(const Postings& postings) const;
  std::size_t texts_with_letter(std::string_view wanted) const;
  void find_in_blocks(std::uint32_t begin, std::uint32_t end, std::string_view wanted, WordPart part,
                      TextSet& set) const;

  /// The ids of one group of texts.
  struct IdGroup {
    TextId operator[](std::uint32_t place) const {
      std::uint32_t above = 0;
      if (width == 1) {
        above = at[place];
      } else if (width == 2) {
        std::uint16_t two = 0;
        std::memcpy(&two, at + std::size_t{place} * 2, sizeof two);
        above = two;
      } else if (width == 4) {
        std::memcpy(&above, at + std::size_t{place} * 4, sizeof above);
      }
      const std::uint32_t sum = base + place + above;
      // In a group of zeros, as in a truncated file, the ids are 0.
      return sum < segment_format::kGroupTexts ? 0 : sum - segment_format::kGroupTexts;
    }
    TextId base;
    std::uint32_t width;
    const std::uint8_t* at;
  };
  std::uint32_t ids_begin(std::uint32_t group) const {
    return number(id_groups_, 2 * std::size_t{group} + 1) & ((1U << segment_format::kIdWidth) - 1);
  }
  std::uint32_t id_width(std::uint32_t group) const {
    const std::uint32_t code = number(id_groups_, 2 * std::size_t{group} + 1) >> segment_format::kIdWidth;
    return code + code / 3;
  }
  IdGroup id_group(std::uint32_t group) const {
    return {number(id_groups_, 2 * std::size_t{group}), id_width(group), ids_.data() + ids_begin(group)};
  }

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  segment_format::Header header_;
  Section postings_;
  Section vocabulary_;
  Section ids_;
  Section gram_lists_;
  Section letters_;
  Section id_groups_;
  Section blocks_;
  Section grams_;
  Section letter_table_;
  std::vector<std::uint64_t> block_keys_;  // word_key() of each block's first word
};

template <typename Visit>
void WordSegment::each_id(const TextSet& set, Visit visit) const {
  constexpr std::uint32_t kGroup = segment_format::kGroupTexts;
  for (std::uint32_t group = 0; group * kGroup < set.size(); ++group) {
    std::uint64_t bits = set.group(group);
    if (bits == 0) continue;
    const IdGroup ids = id_group(group);
    for (; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<std::uint32_t>(std::countr_zero(bits));
      visit(group * kGroup + place, ids[place]);
    }
  }
}

// Building segments (word_segment_writer.cc). Memory while building: the input, the segment, and a second copy of its
// vocabulary and gram lists.

struct IndexedText {
  TextId id = 0;
  std::string_view folded;
};

/// Builds a segment of `texts`, in order. REQUIRES: the texts are less than 1 GiB.
std::shared_ptr<const WordSegment> make_segment(std::span<const IndexedText> texts, IndexedWords words);

/// Merges all texts of `segments`, one segment after the other, into one segment. Texts in `dead` are left out, and
/// their ids are appended to `forgotten`. Null if no text is left. REQUIRES: all of them use these `words`.
std::shared_ptr<const WordSegment> merge_segments(std::span<const std::shared_ptr<const WordSegment>> segments,
                                                  const IdSet& dead, std::vector<TextId>& forgotten,
                                                  IndexedWords words);

}  // namespace receiverd::epg
