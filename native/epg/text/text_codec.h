// Compresses short texts, each on its own, so that any text can be unpacked without reading others.
//
// Based on the published idea of a static symbol table (Boncz, Neumann, Leis: FSST, VLDB 2020). A table of up to 255
// symbols of 1 to 8 bytes is learnt from a sample; a text becomes one code per symbol.
//
//   code 0..254   the symbol with that number; nothing if there is no such symbol
//   code 255      escape: the next byte as it is
//
// The table works on bytes, not characters: any bytes can be packed, and texts in any script become shorter if the
// sample has similar ones. The same sample gives the same table on every machine, whatever its byte order.
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
  static constexpr std::size_t kMaxSymbols = 255;
  static constexpr std::size_t kMaxSymbolBytes = 8;
  /// train() uses this much of a sample.
  static constexpr std::size_t kMaxSampleBytes = 256 * 1024;

  /// A codec without symbols: every byte is written as itself after an escape.
  TextCodec();

  /// Learns a table from texts similar to those it will compress. Of a sample larger than kMaxSampleBytes, it reads
  /// texts at equal distances. Needs some 2 MiB of memory meanwhile.
  static TextCodec train(std::span<const std::string_view> sample);

  /// Appends the packed text, at most 2 bytes per byte of `text`. Here and in decode(), neither view may lie in `out`.
  void encode(std::string_view text, std::string& out) const;
  /// Appends the text that was passed to encode(). Any other bytes give at most kMaxSymbolBytes bytes each; an escape
  /// at the end gives nothing.
  void decode(std::string_view packed, std::string& out) const;
  /// Appends the folded text. Faster than fold() after decode(), because most symbols are already stored folded.
  void decode_folded(std::string_view packed, std::string& out) const;
  /// The number of bytes that decode() would append.
  std::size_t decoded_size(std::string_view packed) const;

  /// Appends the table: number of symbols 8 | length 8 of each symbol | bytes of each symbol.
  void save(std::string& out) const;
  /// The table that save() wrote. nullopt for anything else, including trailing bytes.
  static std::optional<TextCodec> load(std::string_view bytes);

  /// Number of symbols.
  std::size_t size() const { return count_; }
  /// Bytes allocated.
  std::size_t memory_bytes() const { return sizeof(*this); }

 private:
  class Trainer;

  static constexpr std::uint8_t kEscape = 255;
  static constexpr unsigned kTripleBits = 10;
  static constexpr unsigned kPairBits = 9;

  using Words = std::array<std::uint64_t, kMaxSymbols + 1>;

  /// Decodes with `words` as the symbols. Returns the bitwise OR of all words used, to detect bytes beyond ASCII.
  std::uint64_t decode(std::string_view packed, const Words& words, std::string& out) const;
  void add(std::string_view symbol);
  void build_index();
  std::uint8_t longest_match(const char* at, std::size_t left) const;
  template <typename Visit>
  void each_symbol(std::string_view text, Visit visit) const;

  // A word holds the bytes of a symbol in memory order, padded with zeros. The escape has no word, but the length 1.
  Words words_{};
  Words folded_words_{};  // words_ with ASCII characters folded
  std::array<std::uint8_t, kMaxSymbols + 1> lengths_{};
  std::uint8_t count_ = 0;
  // For encoding: chains of codes, longer symbols first, kEscape at the end. Symbols of 3 bytes and more are hashed by
  // their first three bytes, symbols of 2 bytes by both; single bytes are indexed directly.
  std::array<std::uint8_t, 1U << kTripleBits> triples_;
  std::array<std::uint8_t, 1U << kPairBits> pairs_;
  std::array<std::uint8_t, 256> singles_;
  std::array<std::uint8_t, kMaxSymbols + 1> next_;
};

}  // namespace receiverd::epg
