// Compressed texts of Freesat and Freeview HD (selection byte 0x1F, type 1 or 2): an order-1 Huffman code. Each
// character selects the code table of the next one; context 0 is the start.
//
// The code tables are third-party data and come as two text files with one code per line: `FROM:BITS:TO:`, where a
// symbol is one character, 0xNN, START, STOP or ESCAPE. In memory each context is a binary tree:
//
//   nodes_  [ left, right ]   >= 0: index of the next node; < 0: ~symbol; kNone: no such code
//   roots_  context (0..255) -> node
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::epg {

class HuffmanTables {
 public:
  /// Parses the contents of `freesat.t1` and `freesat.t2`; either may be empty. Lines that are not codes are skipped.
  HuffmanTables(std::string_view table1, std::string_view table2);

  /// True when texts of `type` (1 or 2) can be read.
  bool has(std::uint8_t type) const { return (type == 1 || type == 2) && tables_[type - 1U].codes > 0; }
  /// Number of codes taken from the file of `type`.
  std::size_t codes(std::uint8_t type) const { return has(type) ? tables_[type - 1U].codes : 0; }

  /// Decodes the characters after 0x1F and the type byte, at most kMaxCompressedTextCharacters of them. A bit stream
  /// that ends without STOP gives the characters read so far. REQUIRES: has(type).
  std::vector<std::uint8_t> decode(std::uint8_t type, wire::Bytes bits) const;

 private:
  struct Node {
    std::array<std::int32_t, 2> next;
  };
  struct Table {
    std::array<std::int32_t, 256> roots;
    std::vector<Node> nodes;
    std::size_t codes = 0;
  };

  static Table read(std::string_view text);

  std::array<Table, 2> tables_;
};

}  // namespace receiverd::epg
