#include "epg/text/text_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "epg/text/fold.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kHighBits = 0x8080808080808080;

// kMasks[n] keeps the first n bytes of a word in memory order.
constexpr std::array<std::uint64_t, kWord + 1> kMasks = [] {
  std::array<std::uint64_t, kWord + 1> masks{};
  std::array<std::uint8_t, kWord> bytes{};
  for (std::size_t length = 1; length <= kWord; ++length) {
    bytes[length - 1] = 0xFF;
    masks[length] = std::bit_cast<std::uint64_t>(bytes);
  }
  return masks;
}();

std::uint64_t load_word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

std::uint32_t byte(const char* at, std::size_t index) { return static_cast<std::uint8_t>(at[index]); }

// The upper bits of a product depend on all bits below them (Fibonacci hashing).
std::uint32_t hash(std::uint32_t value, unsigned bits) { return (value * 2654435769U) >> (32 - bits); }

std::uint32_t first_pair(const char* at) { return byte(at, 0) | byte(at, 1) << 8; }

}  // namespace

TextCodec::TextCodec() {
  lengths_[kEscape] = 1;
  build_index();
}

void TextCodec::add(std::string_view symbol) {
  words_[count_] = 0;
  std::memcpy(&words_[count_], symbol.data(), symbol.size());
  std::array<char, kMaxSymbolBytes> folded{};
  std::transform(symbol.begin(), symbol.end(), folded.begin(), fold_ascii);
  std::memcpy(&folded_words_[count_], folded.data(), folded.size());
  lengths_[count_++] = static_cast<std::uint8_t>(symbol.size());
}

void TextCodec::build_index() {
  triples_.fill(kEscape);
  pairs_.fill(kEscape);
  singles_.fill(kEscape);
  next_.fill(kEscape);
  // Each is added at the head of its chain, so the longest are added last.
  for (std::size_t length = 1; length <= kMaxSymbolBytes; ++length) {
    for (std::size_t code = 0; code < count_; ++code) {
      if (lengths_[code] != length) continue;
      std::array<char, kWord> bytes{};
      std::memcpy(bytes.data(), &words_[code], kWord);
      const std::uint32_t pair = first_pair(bytes.data());
      std::uint8_t& head = length == 1   ? singles_[pair & 0xFF]
                           : length == 2 ? pairs_[hash(pair, kPairBits)]
                                         : triples_[hash(pair | byte(bytes.data(), 2) << 16, kTripleBits)];
      next_[code] = head;
      head = static_cast<std::uint8_t>(code);
    }
  }
}

// REQUIRES: 8 readable bytes at `at`; the first `left` belong to the text.
inline std::uint8_t TextCodec::longest_match(const char* at, std::size_t left) const {
  const std::uint64_t word = load_word(at);
  const std::uint32_t pair = first_pair(at);
  for (std::uint8_t code = triples_[hash(pair | byte(at, 2) << 16, kTripleBits)]; code != kEscape; code = next_[code]) {
    const std::size_t length = lengths_[code];
    if (((word ^ words_[code]) & kMasks[length]) == 0 && length <= left) return code;
  }
  for (std::uint8_t code = pairs_[hash(pair, kPairBits)]; code != kEscape; code = next_[code]) {
    if (((word ^ words_[code]) & kMasks[2]) == 0 && 2 <= left) return code;
  }
  return singles_[pair & 0xFF];
}

template <typename Visit>
inline void TextCodec::each_symbol(std::string_view text, Visit visit) const {
  const char* at = text.data();
  // The last bytes padded with zeros, so that a whole word can be read at any of them.
  std::array<char, 2 * kWord> tail{};
  bool in_tail = false;
  for (std::size_t left = text.size(); left > 0;) {
    if (left < kWord && !in_tail) {
      std::memcpy(tail.data(), at, left);
      at = tail.data();
      in_tail = true;
    }
    const std::uint8_t code = longest_match(at, left);
    visit(code, *at);
    at += lengths_[code];
    left -= lengths_[code];
  }
}

void TextCodec::encode(std::string_view text, std::string& out) const {
  std::array<char, 512> packed;
  std::size_t fill = 0;
  each_symbol(text, [&](std::uint8_t code, char first) {
    packed[fill++] = static_cast<char>(code);
    if (code == kEscape) packed[fill++] = first;
    if (fill > packed.size() - 2) {
      out.append(packed.data(), fill);
      fill = 0;
    }
  });
  out.append(packed.data(), fill);
}

void TextCodec::decode(std::string_view packed, std::string& out) const { decode(packed, words_, out); }

void TextCodec::decode_folded(std::string_view packed, std::string& out) const {
  const std::size_t begin = out.size();
  const std::uint64_t bits = decode(packed, folded_words_, out);
  if ((bits & kHighBits) == 0) return;
  // Some of it is not ASCII. Folding the already folded part again does no harm.
  const std::string text = out.substr(begin);
  out.resize(begin);
  fold(text, out);
}

std::uint64_t TextCodec::decode(std::string_view packed, const Words& words, std::string& out) const {
  // Whole words are written whatever the symbol's length, so a piece of n codes needs room for n words.
  constexpr std::size_t kPiece = 128;
  std::array<char, kPiece * kWord> piece;
  const bool folds = &words == &folded_words_;
  std::uint64_t bits = 0;
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at < end) {
    const char* const stop = at + std::min<std::size_t>(kPiece, static_cast<std::size_t>(end - at));
    char* to = piece.data();
    while (at < stop) {
      const auto code = static_cast<std::uint8_t>(*at++);
      if (code != kEscape) {
        const std::uint64_t word = words[code];
        bits |= word;
        std::memcpy(to, &word, kWord);
        to += lengths_[code];
      } else if (at < end) {
        const char byte = *at++;
        bits |= static_cast<std::uint8_t>(byte);
        *to++ = folds ? fold_ascii(byte) : byte;
      }
    }
    out.append(piece.data(), static_cast<std::size_t>(to - piece.data()));
  }
  return bits;
}

std::size_t TextCodec::decoded_size(std::string_view packed) const {
  std::size_t size = 0;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    const auto code = static_cast<std::uint8_t>(packed[at]);
    if (code != kEscape) {
      size += lengths_[code];
    } else if (++at < packed.size()) {
      ++size;
    }
  }
  return size;
}

void TextCodec::save(std::string& out) const {
  out.push_back(static_cast<char>(count_));
  out.append(reinterpret_cast<const char*>(lengths_.data()), count_);
  for (std::size_t code = 0; code < count_; ++code) {
    out.append(reinterpret_cast<const char*>(&words_[code]), lengths_[code]);
  }
}

std::optional<TextCodec> TextCodec::load(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t count = byte(bytes.data(), 0);
  if (bytes.size() < 1 + count) return std::nullopt;
  const std::string_view lengths = bytes.substr(1, count);
  std::string_view symbols = bytes.substr(1 + count);
  TextCodec codec;
  for (std::size_t code = 0; code < count; ++code) {
    const std::size_t length = byte(lengths.data(), code);
    if (length == 0 || length > kMaxSymbolBytes || length > symbols.size()) return std::nullopt;
    codec.add(symbols.substr(0, length));
    symbols.remove_prefix(length);
  }
  if (!symbols.empty()) return std::nullopt;
  codec.build_index();
  return codec;
}

// Grows a table in rounds. Each round packs the sample with the current table and counts the symbols used and the pairs
// of neighbours. Of the symbols and the joined pairs it keeps those that cover the most bytes of the sample.
class TextCodec::Trainer {
 public:
  explicit Trainer(std::span<const std::string_view> sample) : pairs_(kTokens * kTokens) {
    std::size_t total = 0;
    for (const std::string_view text : sample) total += text.size();
    // Samples evenly: takes a text if fewer bytes than their share have been taken so far.
    std::size_t seen = 0;
    std::size_t taken = 0;
    for (std::string_view text : sample) {
      const bool lags = static_cast<std::uint64_t>(taken) * total <=
                        static_cast<std::uint64_t>(seen) * std::min(total, kMaxSampleBytes);
      seen += text.size();
      if (!lags) continue;
      text = text.substr(0, kMaxSampleBytes - taken);
      taken += text.size();
      sample_.push_back(text);
    }
  }

  TextCodec train() {
    TextCodec codec;
    for (int round = 0; round < kRounds; ++round) {
      count(codec);
      codec = best(codec);
    }
    return codec;
  }

 private:
  static constexpr int kRounds = 5;
  // Tokens: a code, or kLiteral + an escaped byte.
  static constexpr std::size_t kLiteral = 256;
  static constexpr std::size_t kTokens = 512;
  // Rarer pairs are ignored: they are specific to the sample.
  static constexpr std::uint32_t kMinPairCount = 4;
  // A byte without a symbol takes two bytes, so a symbol of one byte saves more than its length. The factor was found
  // by trial: with 1 or 8, packed guides in many languages are 1 to 3 % larger.
  static constexpr std::uint64_t kSingleByteWeight = 3;

  struct Candidate {
    std::array<char, kMaxSymbolBytes> bytes{};
    std::uint8_t length = 0;
    std::uint64_t gain = 0;

    std::string_view symbol() const { return {bytes.data(), length}; }
  };

  void count(const TextCodec& codec) {
    singles_.fill(0);
    std::fill(pairs_.begin(), pairs_.end(), 0);
    for (const std::string_view text : sample_) {
      std::size_t last = kTokens;
      codec.each_symbol(text, [&](std::uint8_t code, char first) {
        const std::size_t token = code == kEscape ? kLiteral + static_cast<std::uint8_t>(first) : code;
        ++singles_[token];
        if (last != kTokens) ++pairs_[last * kTokens + token];
        last = token;
      });
    }
  }

  static Candidate symbol_of(const TextCodec& codec, std::size_t token) {
    Candidate candidate;
    if (token >= kLiteral) {
      candidate.bytes[0] = static_cast<char>(token - kLiteral);
      candidate.length = 1;
    } else {
      std::memcpy(candidate.bytes.data(), &codec.words_[token], kWord);
      candidate.length = codec.lengths_[token];
    }
    return candidate;
  }

  TextCodec best(const TextCodec& codec) const {
    std::vector<Candidate> candidates;
    for (std::size_t token = 0; token < kTokens; ++token) {
      if (singles_[token] == 0) continue;
      const Candidate first = symbol_of(codec, token);
      candidates.push_back(first);
      candidates.back().gain =
          std::uint64_t{singles_[token]} * first.length * (first.length == 1 ? kSingleByteWeight : 1);
      for (std::size_t other = 0; other < kTokens; ++other) {
        const std::uint32_t times = pairs_[token * kTokens + other];
        if (times < kMinPairCount) continue;
        const Candidate second = symbol_of(codec, other);
        if (first.length + second.length > kMaxSymbolBytes) continue;
        Candidate join = first;
        std::memcpy(join.bytes.data() + first.length, second.bytes.data(), second.length);
        join.length = static_cast<std::uint8_t>(first.length + second.length);
        join.gain = std::uint64_t{times} * join.length;
        candidates.push_back(join);
      }
    }
    // The same symbol may have been formed in several ways.
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.symbol() < b.symbol(); });
    std::size_t distinct = 0;
    for (const Candidate& candidate : candidates) {
      if (distinct > 0 && candidates[distinct - 1].symbol() == candidate.symbol()) {
        candidates[distinct - 1].gain += candidate.gain;
      } else {
        candidates[distinct++] = candidate;
      }
    }
    candidates.resize(distinct);
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.symbol() < b.symbol();
    });
    TextCodec better;
    for (const Candidate& candidate : candidates) {
      if (better.size() == kMaxSymbols) break;
      better.add(candidate.symbol());
    }
    better.build_index();
    return better;
  }

  std::vector<std::string_view> sample_;
  std::array<std::uint32_t, kTokens> singles_{};
  std::vector<std::uint32_t> pairs_;
};

TextCodec TextCodec::train(std::span<const std::string_view> sample) { return Trainer(sample).train(); }

}  // namespace receiverd::epg
