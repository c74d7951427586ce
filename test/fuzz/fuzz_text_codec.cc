// Packed texts: any bytes as a table, a damaged table, any bytes as a packed text.
//
// With every accepted table, packed texts must unpack to the original.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "epg/text/text_codec.h"

namespace {

using receiverd::epg::TextCodec;

void check(bool holds) {
  if (!holds) std::abort();
}

std::string table(const TextCodec& codec) {
  std::string saved;
  codec.save(saved);
  return saved;
}

void check_codec(const TextCodec& codec, std::string_view text) {
  std::string packed;
  codec.encode(text, packed);
  check(packed.size() <= 2 * text.size() && codec.decoded_size(packed) == text.size());
  std::string again;
  codec.decode(packed, again);
  check(again == text);
  // The same bytes as a packed text.
  again.clear();
  codec.decode(text, again);
  check(again.size() <= TextCodec::kMaxSymbolBytes * text.size() && again.size() == codec.decoded_size(text));
}

// Builds a table that load() accepts from any bytes: a length, a symbol, a length, a symbol.
std::string table_from(std::string_view bytes) {
  std::string lengths;
  std::string symbols;
  while (!bytes.empty() && lengths.size() < TextCodec::kMaxSymbols) {
    const std::string_view symbol =
        bytes.substr(1, static_cast<std::uint8_t>(bytes[0]) % TextCodec::kMaxSymbolBytes + 1);
    if (symbol.empty()) break;
    lengths.push_back(static_cast<char>(symbol.size()));
    symbols += symbol;
    bytes.remove_prefix(1 + symbol.size());
  }
  return static_cast<char>(lengths.size()) + lengths + symbols;
}

void check_table(std::string_view bytes, std::string_view text) {
  if (const auto codec = TextCodec::load(bytes)) {
    check(table(*codec) == bytes);
    check_codec(*codec, text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  // Four bytes select the length of the table, whether one is trained as well, and what is damaged in it.
  const std::string_view all(reinterpret_cast<const char*>(data) + 4, size - 4);
  const std::string_view first = all.substr(0, std::min<std::size_t>(all.size(), data[0] | (data[1] & 0x0FU) << 8));
  const std::string_view text = all.substr(first.size());
  check_table(first, text);
  const std::string made = table_from(first);
  check(TextCodec::load(made).has_value());
  check_table(made, text);
  // Training takes long, so only some of the inputs do it.
  if (data[2] % 32 != 1) return 0;
  const std::string_view sample[] = {first, text};
  const TextCodec codec = TextCodec::train(sample);
  check_codec(codec, text);
  std::string saved = table(codec);
  check_table(saved, text);
  saved[data[3] * 7U % saved.size()] = static_cast<char>(data[2] / 32);
  check_table(saved, text);
  return 0;
}
