#include "epg/text/huffman_text.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "epg/text/dvb_text.h"

namespace receiverd::epg {
namespace {

constexpr std::int32_t kNone = INT32_MIN;
constexpr std::uint8_t kStop = 0;    // as a symbol; as a context: the start
constexpr std::uint8_t kEscape = 1;  // raw 8-bit characters follow
constexpr std::size_t kMaxCodeBits = 32;

std::optional<std::uint8_t> hexadecimal(std::string_view digits) {
  std::uint8_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() > 2) return std::nullopt;
  return value;
}

std::optional<std::uint8_t> symbol(std::string_view text) {
  if (text.size() == 1) return static_cast<std::uint8_t>(text[0]);
  if (text == "START" || text == "STOP") return kStop;
  if (text == "ESCAPE") return kEscape;
  return text.starts_with("0x") ? hexadecimal(text.substr(2)) : std::nullopt;
}

class BitReader {
 public:
  explicit BitReader(wire::Bytes bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ >= bytes_.size() * 8; }
  unsigned bit() {
    const unsigned value = bytes_[at_ / 8] >> (7 - at_ % 8) & 1U;
    ++at_;
    return value;
  }
  std::size_t left() const { return bytes_.size() * 8 - at_; }

 private:
  wire::Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace

HuffmanTables::HuffmanTables(std::string_view table1, std::string_view table2) : tables_{read(table1), read(table2)} {}

HuffmanTables::Table HuffmanTables::read(std::string_view text) {
  Table table;
  table.roots.fill(kNone);
  const auto add_node = [&] {
    table.nodes.push_back({{kNone, kNone}});
    return static_cast<std::int32_t>(table.nodes.size() - 1);
  };
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // ':' is the separator and never a symbol: it is written 0x3a.
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view from = line.substr(0, first);
    const std::string_view bits = line.substr(first + 1, second - first - 1);
    std::string_view to = line.substr(second + 1);
    to = to.substr(0, to.find(':'));
    // The files have a row of codes for STOP as a context, which nothing can reach; START shares its slot.
    if (from == "STOP" || bits.empty() || bits.size() > kMaxCodeBits || bits.find_first_not_of("01") != bits.npos)
      continue;
    const auto context = symbol(from);
    const auto decoded = symbol(to);
    if (!context || !decoded) continue;
    if (table.roots[*context] == kNone) table.roots[*context] = add_node();
    std::int32_t node = table.roots[*context];
    for (std::size_t i = 0; node >= 0; ++i) {
      const auto side = static_cast<std::size_t>(bits[i] - '0');
      std::int32_t next = table.nodes[static_cast<std::size_t>(node)].next[side];
      if (i + 1 == bits.size()) {
        // The first of equal codes counts; the files repeat their rows.
        if (next == kNone) {
          table.nodes[static_cast<std::size_t>(node)].next[side] = ~static_cast<std::int32_t>(*decoded);
          ++table.codes;
        }
        break;
      }
      if (next == kNone) {
        next = add_node();
        table.nodes[static_cast<std::size_t>(node)].next[side] = next;
      }
      node = next;  // negative: a shorter code is a prefix of this one, so the line is skipped
    }
  }
  return table;
}

std::vector<std::uint8_t> HuffmanTables::decode(std::uint8_t type, wire::Bytes bits) const {
  const Table& table = tables_[type - 1U];
  std::vector<std::uint8_t> out;
  BitReader reader(bits);
  std::uint8_t context = kStop;
  while (out.size() < kMaxCompressedTextCharacters) {
    std::int32_t node = table.roots[context];
    while (node >= 0) {
      if (reader.at_end()) return out;
      node = table.nodes[static_cast<std::size_t>(node)].next[reader.bit()];
    }
    if (node == kNone) return out;
    const auto decoded = static_cast<std::uint8_t>(~node);
    if (decoded == kStop) return out;
    if (decoded != kEscape) {
      out.push_back(decoded);
      context = decoded;
      continue;
    }
    do {
      if (reader.left() < 8) return out;
      unsigned raw = 0;
      for (int i = 0; i < 8; ++i) raw = raw << 1 | reader.bit();
      context = static_cast<std::uint8_t>(raw);
      if (context == kStop) return out;
      out.push_back(context);
    } while (context >= 0x80 && out.size() < kMaxCompressedTextCharacters);
  }
  return out;
}

}  // namespace receiverd::epg
