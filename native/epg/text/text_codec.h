// Compresses short texts, each by itself: any of a million can be read without the ones before it.
//
// Based on the published idea of a static symbol table (Boncz, Neumann, Leis: FSST, VLDB 2020). A table of up to 255
// symbols of 1 to 8 bytes is learnt from a sample; a text becomes one code per symbol.
//
//   code 0..254   the symbol with that number; a number without a symbol stands for nothing
//   code 255      the next byte stands for itself
//
// The table works on bytes, not characters. Any bytes survive, and texts in any script become shorter if the table has
// learnt from similar ones. The same sample gives the same table on every machine, whatever its byte order.
//
// The authors' own library is not packaged by Debian and is more than twice as large as this one.
//
// Thread safety: const members may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace receiverd::epg {

class TextCodec {
 public:
  static constexpr std::size_t kMostSymbols = 255;
  static constexpr std::size_t kLongestSymbol = 8;
  /// The bytes of a sample that train() uses.
  static constexpr std::size_t kSampleBytes = 256 * 1024;

  /// A codec without symbols: every byte is written as itself after an escape.
  TextCodec();

  /// Learns a table from texts like those it will compress. If the sample exceeds kSampleBytes, it reads texts at equal
  /// distances. Takes some 2 MiB of memory while it runs.
  static TextCodec train(std::span<const std::string_view> sample);

  /// Appends the packed text, at most 2 bytes per byte of `text`. Here and in decode(), neither view may lie in `out`.
  void encode(std::string_view text, std::string& out) const;
  /// Appends the text that was passed to encode(). Other bytes give some text of at most kLongestSymbol bytes per byte;
  /// an escape at the end gives nothing.
  void decode(std::string_view packed, std::string& out) const;
  /// Appends what fold() returns for the text, working mostly on symbols instead of characters.
  void decode_folded(std::string_view packed, std::string& out) const;
  /// The number of bytes that decode() would append.
  std::size_t decoded_size(std::string_view packed) const;

  /// Appends the table: number of symbols 8 | length 8 of each symbol | bytes of each symbol.
  void save(std::string& out) const;
  /// The table that save() wrote. nullopt for anything else, including trailing bytes.
  static std::optional<TextCodec> load(std::string_view bytes);

  /// Number of symbols.
  std::size_t size() const { return count_; }
  /// Bytes allocated for all of it.
  std::size_t memory_bytes() const { return sizeof(*this); }

 private:
  class Trainer;

  static constexpr std::uint8_t kEscape = 255;
  static constexpr unsigned kTripleBits = 10;
  static constexpr unsigned kPairBits = 9;

  using Words = std::array<std::uint64_t, kMostSymbols + 1>;

  /// Decodes with these words as the symbols. Returns all bits that are set in any of them.
  std::uint64_t decode(std::string_view packed, const Words& words, std::string& out) const;
  void add(std::string_view symbol);
  void build_index();
  std::uint8_t longest_match(const char* at, std::size_t left) const;
  template <typename Visit>
  void each_symbol(std::string_view text, Visit visit) const;

  // A symbol lies in its word in memory order, padded with zeros. The escape has no word, but the length 1.
  Words words_{};
  Words folded_words_{};  // the same with the ASCII characters folded
  std::array<std::uint8_t, kMostSymbols + 1> lengths_{};
  std::uint8_t count_ = 0;
  // For encoding: chains of codes, longer symbols first, kEscape at the end. Symbols of 3 bytes and more are hashed by
  // their first three bytes, symbols of 2 bytes by both; single bytes are indexed directly.
  std::array<std::uint8_t, 1U << kTripleBits> triples_;
  std::array<std::uint8_t, 1U << kPairBits> pairs_;
  std::array<std::uint8_t, 256> singles_;
  std::array<std::uint8_t, kMostSymbols + 1> next_;
};

}  // namespace receiverd::epg
