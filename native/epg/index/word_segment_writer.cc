// Builds segments, from texts or by merging other segments.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "epg/index/id_table.h"
#include "epg/index/word_segment.h"
#include "epg/text/words.h"

namespace receiverd::epg {

using namespace segment_format;

namespace {

/// For a 32-bit number in LEB128.
constexpr std::size_t kMaxVarintBytes = 5;

/// A byte buffer that grows without copying where the allocator allows it, and releases its memory without spare room.
class SegmentBuffer {
 public:
  SegmentBuffer() = default;
  SegmentBuffer(const SegmentBuffer&) = delete;
  SegmentBuffer& operator=(const SegmentBuffer&) = delete;
  ~SegmentBuffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  std::uint8_t* data() { return data_; }

  void push(std::uint8_t byte) {
    if (size_ == capacity_) reserve(capacity_ + capacity_ / 2 + 256);
    data_[size_++] = byte;
  }
  void push(const void* bytes, std::size_t size) {
    if (size > capacity_ - size_) reserve(size_ + size + capacity_ / 2);
    if (size != 0) std::memcpy(data_ + size_, bytes, size);
    size_ += size;
  }
  void push_number(std::uint32_t value) {
    for (; value >= 0x80; value >>= 7) push(static_cast<std::uint8_t>(value | 0x80));
    push(static_cast<std::uint8_t>(value));
  }
  void push_u32(std::uint32_t value) { push(&value, sizeof value); }
  /// Room for this many bytes. Report the end of the written bytes with end_at().
  std::uint8_t* room(std::size_t size) {
    if (size > capacity_ - size_) reserve(size_ + size + capacity_ / 2);
    return data_ + size_;
  }
  void end_at(const std::uint8_t* at) { size_ = static_cast<std::size_t>(at - data_); }
  /// Appends zeros.
  std::uint8_t* grow(std::size_t size) {
    std::uint8_t* const begin = room(size);
    if (size != 0) std::memset(begin, 0, size);
    size_ += size;
    return begin;
  }
  void reserve(std::size_t capacity) {
    void* grown = std::realloc(data_, capacity);
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::uint8_t*>(grown);
    capacity_ = capacity;
  }
  void clear() {
    std::free(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  /// Hands over the bytes; the buffer is then empty.
  std::shared_ptr<const void> release() {
    reserve(size_);
    size_ = capacity_ = 0;
    // If this throws, shared_ptr frees the bytes itself.
    return {std::exchange(data_, nullptr), [](void* data) { std::free(data); }};
  }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

void push_list(SegmentBuffer& out, std::span<const std::uint32_t> numbers) {
  std::uint8_t* at = out.room(numbers.size() * kMaxVarintBytes);
  std::uint32_t next = 0;
  for (const std::uint32_t number : numbers) {
    std::uint32_t gap = number - next;
    for (; gap >= 0x80; gap >>= 7) *at++ = static_cast<std::uint8_t>(gap | 0x80);
    *at++ = static_cast<std::uint8_t>(gap);
    next = number + 1;
  }
  out.end_at(at);
}

void push_bit_set(SegmentBuffer& out, std::span<const std::uint32_t> numbers, std::size_t size) {
  std::uint8_t* bits = out.grow((size + 7) / 8);
  for (const std::uint32_t number : numbers) bits[number >> 3] |= static_cast<std::uint8_t>(1U << (number & 7));
}

/// Letters beyond the most frequent ones get lists of blocks instead of lists of texts.
constexpr std::size_t kMaxLetters = 64;
/// If the postings of all words with a letter have fewer bytes than this, reading them takes no noticeable time, so the
/// letter gets no list of texts.
constexpr std::uint64_t kMinLetterBytes = 16 * 1024;

class SegmentWriter {
 public:
  /// `words` and `bytes`: upper estimates of the number of words and bytes.
  SegmentWriter(const std::vector<TextId>& ids, std::size_t words, std::size_t bytes, IndexedWords kind)
      : kind_(kind),
        texts_(static_cast<std::uint32_t>(ids.size())),
        gram_bits_(std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(words / 16)), 6, kMaxGramBits)),
        last_block_of_(std::size_t{1} << gram_bits_, 0) {
    out_.reserve(sizeof(Header) + bytes);
    out_.grow(sizeof(Header));
    add_ids(ids);
  }

  /// Words have to be added in ascending order, each once. `texts`: the texts that have the word, ascending, not empty.
  void add(std::string_view word, std::span<const std::uint32_t> texts) {
    if (words_ % (kind_ == IndexedWords::tokens ? kBlockWords : kSmallBlockWords) == 0) {
      blocks_.push_back(static_cast<std::uint32_t>(vocabulary_.size()));
      blocks_.push_back(postings_size());
      last_.clear();
    }
    const auto differ = std::mismatch(word.begin(), word.end(), last_.begin(), last_.end());
    const auto shared = static_cast<std::uint32_t>(differ.first - word.begin());
    const auto added = static_cast<std::uint32_t>(word.size() - shared);
    vocabulary_.push(static_cast<std::uint8_t>(std::min(shared, 15U) << 4 | std::min(added, 15U)));
    if (shared >= 15) vocabulary_.push_number(shared - 15);
    if (added >= 15) vocabulary_.push_number(added - 15);
    vocabulary_.push(word.data() + shared, added);

    const std::size_t begin = out_.size();
    if (texts.size() > texts_ / 8) {
      push_bit_set(out_, texts, texts_);
      vocabulary_.push_number(0);
    } else {
      push_list(out_, texts);
      vocabulary_.push_number(static_cast<std::uint32_t>(out_.size() - begin));
    }
    if (kind_ == IndexedWords::tokens) add_characters(word, shared, out_.size() - begin);
    last_ = word;
    ++words_;
  }

  std::shared_ptr<const WordSegment> finish() {
    Header header;
    header.texts = texts_;
    header.words = words_;
    header.blocks = static_cast<std::uint32_t>(blocks_.size() / 2);
    blocks_.push_back(static_cast<std::uint32_t>(vocabulary_.size()));
    blocks_.push_back(postings_size());
    header.postings_end = end();
    append(vocabulary_);
    header.vocabulary_end = end();
    append(ids_);
    header.ids_end = end();

    const std::vector<std::uint32_t> buckets = append_gram_lists();
    header.gram_bits = buckets.empty() ? 0 : gram_bits_;
    header.gram_lists_end = end();
    const std::vector<std::uint32_t> letters = append_letters(header);
    header.letters = static_cast<std::uint32_t>(letters.size() / 2 - 1);
    header.letters_end = end();

    for (const std::span<const std::uint32_t> numbers :
         {std::span<const std::uint32_t>(id_groups_), std::span<const std::uint32_t>(blocks_),
          std::span<const std::uint32_t>(buckets), std::span<const std::uint32_t>(letters)}) {
      out_.push(numbers.data(), numbers.size_bytes());
    }
    header.end = end();
    std::memcpy(out_.data(), &header, sizeof header);
    std::shared_ptr<const void> owner = out_.release();
    const auto* begin = static_cast<const std::byte*>(owner.get());
    return WordSegment::open(std::move(owner), {begin, header.end});
  }

 private:
  std::uint32_t end() const { return static_cast<std::uint32_t>(out_.size()); }
  std::uint32_t postings_size() const { return static_cast<std::uint32_t>(out_.size() - sizeof(Header)); }

  void append(SegmentBuffer& section) {
    out_.push(section.data(), section.size());
    section.clear();
  }

  void add_ids(std::span<const TextId> ids) {
    for (; !ids.empty(); ids = ids.subspan(std::min<std::size_t>(kGroupTexts, ids.size()))) {
      const auto group = ids.first(std::min<std::size_t>(kGroupTexts, ids.size()));
      // Relative to the place in the group, so that consecutive ids need no bytes. The base is the minimum, so that ids
      // may also fall within a group.
      std::int64_t base = std::numeric_limits<std::int64_t>::max();
      std::int64_t max_above = 0;
      const auto above_place = [&](std::size_t place) { return std::int64_t{group[place]} - std::int64_t(place); };
      for (std::size_t place = 0; place < group.size(); ++place) base = std::min(base, above_place(place));
      for (std::size_t place = 0; place < group.size(); ++place)
        max_above = std::max(max_above, above_place(place) - base);
      const std::size_t width = max_above == 0 ? 0 : max_above <= 0xFF ? 1 : max_above <= 0xFFFF ? 2 : 4;
      id_groups_.push_back(static_cast<std::uint32_t>(base + kGroupTexts));
      id_groups_.push_back(static_cast<std::uint32_t>(ids_.size() | std::min<std::size_t>(width, 3) << kIdWidth));
      for (std::size_t place = 0; place < group.size(); ++place) {
        const auto above = static_cast<std::uint32_t>(above_place(place) - base);
        const auto two = static_cast<std::uint16_t>(above);
        if (width == 1) ids_.push(static_cast<std::uint8_t>(above));
        if (width == 2) ids_.push(&two, sizeof two);
        if (width == 4) ids_.push(&above, sizeof above);
      }
    }
  }

  /// Adds the characters of a word to the grams of its block and to the letters.
  void add_characters(std::string_view word, std::uint32_t shared, std::size_t posting_bytes) {
    const auto block = static_cast<std::uint32_t>(blocks_.size() / 2);
    std::uint32_t last[2] = {};
    std::size_t characters = 0;
    for (std::size_t at = 0; at < word.size();) {
      const std::uint32_t character = next_character(word, at);
      if (const std::uint32_t code = letter_code(character); code < kLetterCodes) {
        letter_bytes_[code] += posting_bytes;
        if (last_block_with_[code] != block) {
          last_block_with_[code] = block;
          if (block <= kMaxGramBlocks) letter_blocks_.push_back((block - 1) << kMaxGramBits | code);
        }
      }
      // Grams that end in the shared bytes were already in the previous word.
      if (++characters > 2 && at > shared) {
        const std::uint32_t bucket = gram_bucket(last[0], last[1], character, gram_bits_);
        if (last_block_of_[bucket] != block) {
          last_block_of_[bucket] = block;
          if (block <= kMaxGramBlocks) grams_.push_back((block - 1) << kMaxGramBits | bucket);
        }
      }
      last[0] = last[1];
      last[1] = character;
    }
  }

  std::vector<std::uint32_t> append_gram_lists() {
    std::vector<std::uint32_t> begins;
    if (blocks_.size() / 2 > kMaxGramBlocks || grams_.empty()) return begins;
    // Sorted by bucket; within a bucket the blocks stay in order.
    const std::uint32_t mask = (1U << kMaxGramBits) - 1;
    std::vector<std::uint32_t> at((std::size_t{1} << gram_bits_) + 1);
    for (const std::uint32_t gram : grams_) ++at[(gram & mask) + 1];
    for (std::size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    const std::vector<std::uint32_t> counts = at;
    std::vector<std::uint32_t> blocks(grams_.size());
    for (const std::uint32_t gram : grams_) blocks[at[gram & mask]++] = gram >> kMaxGramBits;
    std::vector<std::uint32_t>().swap(grams_);

    const std::size_t begin = out_.size();
    for (std::size_t bucket = 0; bucket + 1 < counts.size(); ++bucket) {
      begins.push_back(static_cast<std::uint32_t>(out_.size() - begin));
      push_list(out_, std::span(blocks).subspan(counts[bucket], counts[bucket + 1] - counts[bucket]));
    }
    begins.push_back(static_cast<std::uint32_t>(out_.size() - begin));
    return begins;
  }

  /// Appends the letter lists and returns their table.
  std::vector<std::uint32_t> append_letters(const Header& header) {
    const std::size_t begin = out_.size();
    std::vector<std::uint32_t> table;
    if (header.gram_bits != 0 && words_ >= kMinWordsForLetters) {
      std::vector<bool> listed(kLetterCodes);
      const std::vector<std::uint32_t> codes = frequent_letters();
      const std::vector<std::uint64_t> letters_of = letters_of_texts(codes, header);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        listed[codes[i]] = append_letter(codes[i], i, letters_of, begin, table);
      }
      append_rare_letters(listed, begin, table);
    }
    table.push_back(0);
    table.push_back(static_cast<std::uint32_t>(out_.size() - begin));
    return table;
  }

  void append_rare_letters(const std::vector<bool>& listed, std::size_t begin, std::vector<std::uint32_t>& table) {
    const std::uint32_t mask = (1U << kMaxGramBits) - 1;
    // Sorted by letter; within a letter the blocks stay in order.
    std::stable_sort(letter_blocks_.begin(), letter_blocks_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });
    std::vector<std::uint32_t> blocks;
    for (auto at = letter_blocks_.begin(); at != letter_blocks_.end();) {
      const std::uint32_t code = *at & mask;
      blocks.clear();
      for (; at != letter_blocks_.end() && (*at & mask) == code; ++at) blocks.push_back(*at >> kMaxGramBits);
      if (listed[code] || character_kind(code) != CharacterKind::letter) continue;
      push_letter(code, kBlocks, begin, table);
      push_list(out_, blocks);
    }
  }

  void push_letter(std::uint32_t code, std::uint32_t flags, std::size_t begin, std::vector<std::uint32_t>& table) {
    const std::uint32_t character = code < 0x80 ? code : (0xC0 | code >> 6) << 8 | 0x80 | (code & 0x3F);
    table.push_back(character | flags);
    table.push_back(static_cast<std::uint32_t>(out_.size() - begin));
  }

  std::vector<std::uint32_t> frequent_letters() const {
    std::vector<std::uint32_t> codes;
    for (std::uint32_t code = 0; code < kLetterCodes; ++code) {
      if (letter_bytes_[code] >= kMinLetterBytes && character_kind(code) == CharacterKind::letter) {
        codes.push_back(code);
      }
    }
    std::sort(codes.begin(), codes.end(),
              [&](std::uint32_t a, std::uint32_t b) { return letter_bytes_[a] > letter_bytes_[b]; });
    if (codes.size() > kMaxLetters) codes.resize(kMaxLetters);
    return codes;
  }

  /// Per text: one bit for each of `codes` that occurs in one of its words.
  std::vector<std::uint64_t> letters_of_texts(const std::vector<std::uint32_t>& codes, const Header& header) {
    std::array<std::uint64_t, kLetterCodes> bit_of{};
    for (std::size_t i = 0; i < codes.size(); ++i) bit_of[codes[i]] = std::uint64_t{1} << i;
    std::vector<std::uint64_t> letters_of(texts_);
    if (codes.empty()) return letters_of;
    const std::uint8_t* postings = out_.data() + sizeof(Header);
    VocabularyReader vocabulary{out_.data() + header.postings_end, out_.data() + header.vocabulary_end, {}};
    for (std::uint32_t word = 0; word < words_; ++word) {
      if (word % kBlockWords == 0) vocabulary.word.clear();
      std::uint32_t length = vocabulary.next();
      const bool bit_set = length == 0;
      if (bit_set) length = (texts_ + 7) / 8;
      std::uint64_t letters = 0;
      for (std::size_t at = 0; at < vocabulary.word.size();) {
        const std::uint32_t code = letter_code(next_character(vocabulary.word, at));
        if (code < kLetterCodes) letters |= bit_of[code];
      }
      if (letters != 0 && bit_set) {
        for (std::uint32_t byte = 0; byte < length; ++byte) {
          for (std::uint32_t bits = postings[byte]; bits != 0; bits &= bits - 1) {
            letters_of[byte * 8 + static_cast<std::uint32_t>(std::countr_zero(bits))] |= letters;
          }
        }
      } else if (letters != 0) {
        each_listed({postings, length}, [&](std::uint64_t text) {
          letters_of[text] |= letters;
          return true;
        });
      }
      postings += length;
    }
    return letters_of;
  }

  /// Returns false without appending if the list would not save enough.
  bool append_letter(std::uint32_t code, std::size_t bit, const std::vector<std::uint64_t>& letters_of,
                     std::size_t begin, std::vector<std::uint32_t>& table) {
    std::uint32_t count = 0;
    for (const std::uint64_t letters : letters_of) count += static_cast<std::uint32_t>(letters >> bit & 1);
    const bool inverted = count > texts_ / 2;
    const std::uint64_t listed = inverted ? 0 : 1;
    std::vector<std::uint32_t> texts;
    for (std::uint32_t text = 0; text < texts_; ++text) {
      if ((letters_of[text] >> bit & 1) == listed) texts.push_back(text);
    }
    SegmentBuffer bytes;
    push_list(bytes, texts);
    const std::size_t bit_set_size = (texts_ + 7) / 8;
    if (bytes.size() >= bit_set_size) {
      bytes.clear();
      push_bit_set(bytes, texts, texts_);
    }
    // The list replaces reading the postings of all words with the letter, so it must be much shorter than these.
    if (bytes.size() * kMinLetterGain > letter_bytes_[code]) return false;
    push_letter(code, inverted ? kInverted : 0, begin, table);
    out_.push(bytes.data(), bytes.size());
    return true;
  }

  /// Reads back the vocabulary that add() has written.
  struct VocabularyReader {
    std::uint32_t number() {
      std::uint32_t value = 0;
      for (int shift = 0;; shift += 7) {
        const std::uint8_t byte = *at++;
        value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
      }
    }
    /// Skips to the next word. Returns the length of its postings.
    std::uint32_t next() {
      const std::uint8_t head = *at++;
      std::uint32_t shared = head >> 4;
      std::uint32_t added = head & 15;
      if (shared == 15) shared += number();
      if (added == 15) added += number();
      word.resize(shared);
      word.append(reinterpret_cast<const char*>(at), added);
      at += added;
      return number();
    }
    const std::uint8_t* at;
    const std::uint8_t* end;
    std::string word;
  };

  static constexpr std::uint32_t kMaxGramBlocks = 1U << (32 - kMaxGramBits);
  static constexpr std::uint64_t kMinLetterGain = 8;

  IndexedWords kind_;
  std::uint32_t texts_;
  std::uint32_t gram_bits_;
  std::uint32_t words_ = 0;
  SegmentBuffer out_;
  SegmentBuffer vocabulary_;
  SegmentBuffer ids_;
  std::vector<std::uint32_t> id_groups_;
  std::vector<std::uint32_t> blocks_;
  std::string last_;
  std::vector<std::uint32_t> last_block_of_;  // per bucket, the last block with such a gram, counted from 1
  std::vector<std::uint32_t> grams_;          // block << kMaxGramBits | bucket
  std::vector<std::uint64_t> letter_bytes_ = std::vector<std::uint64_t>(kLetterCodes);
  std::vector<std::uint32_t> last_block_with_ = std::vector<std::uint32_t>(kLetterCodes);
  std::vector<std::uint32_t> letter_blocks_;  // block << kMaxGramBits | letter
};

/// The distinct words of a set of texts, numbered.
class Vocabulary {
 public:
  std::uint32_t number(std::string_view word) {
    const std::uint32_t hash = text_hash(word);
    const std::uint32_t known = table_.find(hash, [&](std::uint32_t id) { return words_[id - 1] == word; });
    if (known != 0) return known - 1;
    words_.push_back(word);
    const auto hash_of_id = [this](std::uint32_t id) { return text_hash(words_[id - 1]); };
    // Doubles the room, because growing hashes all words again.
    if (std::has_single_bit(words_.size())) table_.make_room(words_.size(), hash_of_id);
    table_.insert(size(), hash, hash_of_id);
    return size() - 1;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  std::string_view word(std::uint32_t number) const { return words_[number]; }

  /// The numbers in the order of their words.
  std::vector<std::uint32_t> sorted() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(words_.size());
    for (std::uint32_t i = 0; i < size(); ++i) keyed.emplace_back(word_key(words_[i]), i);
    std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : words_[a.second] < words_[b.second];
    });
    std::vector<std::uint32_t> numbers;
    numbers.reserve(keyed.size());
    for (const auto& [key, number] : keyed) numbers.push_back(number);
    return numbers;
  }

 private:
  std::vector<std::string_view> words_;
  IdTable table_;  // of numbers from 1
};

/// The position of a merge in one of its segments.
struct Source {
  Source(const WordSegment& segment, std::uint32_t offset)
      : segment(&segment), cursor(segment.words_from_begin()), offset(offset) {}

  bool advance() {
    if (!cursor.next()) return false;
    key = word_key(cursor.word());
    return true;
  }

  const WordSegment* segment;
  WordSegment::Cursor cursor;
  std::uint64_t key = 0;
  std::uint32_t offset;                // of its first text, if all of them are kept
  std::vector<std::uint32_t> kept_as;  // otherwise the new number of each
};

constexpr std::uint32_t kDropped = 0xFFFFFFFF;

/// Appends the texts of the source's word to `texts`.
void collect(const Source& source, std::vector<std::uint32_t>& texts) {
  const std::size_t begin = texts.size();
  if (source.kept_as.empty()) {
    source.segment->read(source.cursor.postings(), source.offset, texts);
    return;
  }
  source.segment->read(source.cursor.postings(), 0, texts);
  std::size_t kept = begin;
  for (std::size_t i = begin; i < texts.size(); ++i) {
    if (const std::uint32_t text = source.kept_as[texts[i]]; text != kDropped) texts[kept++] = text;
  }
  texts.resize(kept);
}

}  // namespace

std::shared_ptr<const WordSegment> make_segment(std::span<const IndexedText> texts, IndexedWords words) {
  struct Place {
    std::uint32_t word;
    std::uint32_t text;
  };
  Vocabulary vocabulary;
  std::vector<Place> places;
  std::vector<std::uint32_t> begins;  // per word, the number of places; later where they begin
  std::vector<std::uint32_t> last;    // per word, the last text that had it, counted from 1
  std::vector<TextId> ids;
  for (const IndexedText& text : texts) {
    ids.push_back(text.id);
    for (std::size_t at = 0; at < text.folded.size();) {
      const std::uint32_t word = vocabulary.number(words == IndexedWords::grams ? next_gram(text.folded, at)
                                                                                : next_token(text.folded, at).text);
      if (word == last.size()) {
        last.push_back(0);
        begins.push_back(0);
      }
      if (last[word] == ids.size()) continue;
      last[word] = static_cast<std::uint32_t>(ids.size());
      ++begins[word];
      places.push_back({word, static_cast<std::uint32_t>(ids.size() - 1)});
    }
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& begin : begins) sum += std::exchange(begin, sum);
  std::vector<std::uint32_t> ordered(places.size());
  std::vector<std::uint32_t> ends = begins;
  for (const Place& place : places) ordered[ends[place.word]++] = place.text;
  std::vector<Place>().swap(places);

  SegmentWriter writer(ids, vocabulary.size(), ordered.size() * 2 + std::size_t{vocabulary.size()} * 8, words);
  for (const std::uint32_t word : vocabulary.sorted()) {
    writer.add(vocabulary.word(word), std::span(ordered).subspan(begins[word], ends[word] - begins[word]));
  }
  return writer.finish();
}

std::shared_ptr<const WordSegment> merge_segments(std::span<const std::shared_ptr<const WordSegment>> segments,
                                                  const IdSet& dead, std::vector<TextId>& forgotten,
                                                  IndexedWords kind) {
  std::vector<TextId> ids;
  std::vector<Source> sources;
  std::size_t words = 0;
  std::size_t bytes = 0;
  for (const auto& segment : segments) {
    Source source(*segment, static_cast<std::uint32_t>(ids.size()));
    const std::vector<TextId> all = segment->ids();
    if (std::any_of(all.begin(), all.end(), [&](TextId id) { return dead.has(id); })) {
      for (const TextId id : all) {
        if (dead.has(id)) {
          forgotten.push_back(id);
          source.kept_as.push_back(kDropped);
        } else {
          source.kept_as.push_back(static_cast<std::uint32_t>(ids.size()));
          ids.push_back(id);
        }
      }
    } else {
      ids.insert(ids.end(), all.begin(), all.end());
    }
    words += segment->words();
    bytes += segment->bytes().size();
    if (source.advance()) sources.push_back(std::move(source));
  }
  if (ids.empty()) return nullptr;

  SegmentWriter writer(ids, words, bytes, kind);
  std::vector<std::uint32_t> texts;
  std::string word;
  while (!sources.empty()) {
    const Source* least = sources.data();
    for (const Source& source : sources) {
      if (source.key < least->key || (source.key == least->key && source.cursor.word() < least->cursor.word())) {
        least = &source;
      }
    }
    word = least->cursor.word();
    const std::uint64_t key = least->key;
    texts.clear();
    for (std::size_t i = 0; i < sources.size();) {
      Source& source = sources[i];
      bool more = true;
      if (source.key == key && source.cursor.word() == word) {
        collect(source, texts);
        more = source.advance();
      }
      // Keeps the order: the texts of one segment come before those of the next.
      if (more) {
        ++i;
      } else {
        sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (!texts.empty()) writer.add(word, texts);
  }
  return writer.finish();
}

}  // namespace receiverd::epg
