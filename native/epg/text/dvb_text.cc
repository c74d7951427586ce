#include "epg/text/dvb_text.h"

#include <array>
#include <string_view>
#include <vector>

#include "epg/arib/arib_text.h"
#include "epg/text/character_tables.h"
#include "epg/text/east_asian_characters.h"
#include "epg/text/huffman_text.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;

bool is_one_byte(CharacterTable table) { return table <= CharacterTable::iso8859_15; }

// Receives the decoded characters and applies control codes (Annex A.1, tables A.1 and A.2).
class TextWriter {
 public:
  /// `abbreviated` may be null if it is not wanted.
  TextWriter(std::string& full, std::string* abbreviated) : full_(full), abbreviated_(abbreviated) {}

  void put(char32_t code) {
    if (code >= 0xE080 && code <= 0xE09F) code -= 0xE000;  // two-byte tables and UTF-8 have the codes at U+E080..U+E09F
    if (code < 0x20) {
      if (code == '\n') write(U'\n');
      if (code == '\t') write(U' ');
      return;
    }
    if (code >= 0x7F && code < 0xA0) {
      if (code == 0x86) emphasis_ = true;
      if (code == 0x87) emphasis_ = false;
      if (code == 0x8A) write(U'\n');
      return;
    }
    if (code == 0xFEFF || code == 0xFFFE || code == 0xFFFF) return;
    write(code);
  }

  /// Writes UTF-8 that needs no inspection: no controls, no byte order marks.
  void put_plain(std::string_view printable) {
    full_.append(printable);
    if (abbreviates()) abbreviated_->append(printable);
  }

  void finish() {
    trim(full_);
    if (abbreviated_ != nullptr) trim(*abbreviated_);
  }

 private:
  void write(char32_t code) {
    append_utf8(full_, code);
    if (abbreviates()) append_utf8(*abbreviated_, code);
  }
  bool abbreviates() const { return emphasis_ && abbreviated_ != nullptr; }
  static void trim(std::string& text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  }

  std::string& full_;
  std::string* abbreviated_;
  bool emphasis_ = false;
};

void decode_one_byte(Bytes text, CharacterTable table, TextWriter& out, TextErrors& errors) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t run = printable_run(wire::text_of(text.subspan(at))); run != 0) {
      out.put_plain(wire::text_of(text.subspan(at, run)));
      at += run;
      continue;
    }
    const std::uint8_t byte = text[at++];
    if (byte < 0xA0) {
      out.put(byte);
    } else if (table == CharacterTable::iso6937 && is_mark(byte)) {
      if (at == text.size()) {
        ++errors.malformed;
        return;
      }
      const std::uint8_t next = text[at];
      if (next < 0x20 || (next >= 0x7F && next < 0xA0) || is_mark(next)) {
        ++errors.malformed;
        continue;  // the control code or the second mark is read in the next step
      }
      ++at;
      const char16_t letter = next < 0x80 ? static_cast<char16_t>(next) : table_character(table, next);
      if (letter == 0) {
        ++errors.undefined_characters;
        continue;
      }
      const MarkedLetter marked = marked_letter(byte, letter);
      out.put(marked.character);
      if (marked.combining != 0) out.put(marked.combining);
    } else if (const char16_t code = table_character(table, byte); code != 0) {
      out.put(code);
    } else {
      ++errors.undefined_characters;
    }
  }
}

void decode_utf16(Bytes text, bool big_endian, TextWriter& out, TextErrors& errors) {
  const auto unit = [&](std::size_t at) -> char32_t {
    return big_endian ? static_cast<char32_t>(text[at] << 8 | text[at + 1])
                      : static_cast<char32_t>(text[at + 1] << 8 | text[at]);
  };
  std::size_t at = 0;
  for (; at + 2 <= text.size(); at += 2) {
    const char32_t code = unit(at);
    if (code < 0xD800 || code > 0xDFFF) {
      out.put(code);
      continue;
    }
    const char32_t low = code < 0xDC00 && at + 4 <= text.size() ? unit(at + 2) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF) {
      out.put(0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00)));
      at += 2;
    } else {
      ++errors.malformed;
    }
  }
  if (at < text.size() && text[at] != 0) ++errors.malformed;
}

void decode_utf8(Bytes bytes, TextWriter& out, TextErrors& errors) {
  const std::string_view text = wire::text_of(bytes);
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t run = printable_run(text.substr(at)); run != 0) {
      out.put_plain(text.substr(at, run));
      at += run;
      continue;
    }
    const char32_t code = next_utf8(text, at);
    if (code == kNotUtf8) {
      ++errors.malformed;
    } else {
      out.put(code);
    }
  }
}

// In the standard, 0x14 stands for two-byte ISO/IEC 10646 codes, but broadcasters in Taiwan send Big5. A text that is
// valid Big5 is read as Big5.
bool looks_like_big5(Bytes text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint8_t byte = text[at];
    if (byte < 0x20 && byte != '\n' && byte != '\r') return false;
    if (byte < 0x81) continue;
    if (byte == 0x8A) continue;
    const std::uint8_t trail = at + 1 < text.size() ? text[at + 1] : std::uint8_t{0};
    if (byte == 0xFF || trail < 0x40 || trail == 0xFF || (trail >= 0x7F && trail < 0xA1)) return false;
    ++at;
  }
  return true;
}

// 0x86, 0x87 and 0x8A are control codes in DVB, but also lead bytes in the extensions of EUC-KR and GB 2312. They are
// control codes if the following bytes form whole characters without them.
bool is_control_code(Bytes text, std::size_t at) {
  if (text[at] != 0x86 && text[at] != 0x87 && text[at] != 0x8A) return false;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] >= 0xA1) ++end;
  return (end - at) % 2 == 1;
}

// Four-byte characters of GB 18030, which no broadcaster needs. They are recognised only so that their bytes are not
// read as digits.
bool is_four_byte(Bytes text, std::size_t at) {
  const auto is_lead = [&](std::size_t index) { return text[index] >= 0x81 && text[index] != 0xFF; };
  const auto is_digit = [&](std::size_t index) { return text[index] >= '0' && text[index] <= '9'; };
  return at + 4 <= text.size() && is_lead(at) && is_digit(at + 1) && is_lead(at + 2) && is_digit(at + 3);
}

void decode_east_asian(Bytes text, CharacterTable table, TextWriter& out, TextErrors& errors) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t run = printable_run(wire::text_of(text.subspan(at))); run != 0) {
      out.put_plain(wire::text_of(text.subspan(at, run)));
      at += run;
      continue;
    }
    const std::uint8_t lead = text[at];
    const std::uint8_t trail = at + 1 < text.size() ? text[at + 1] : std::uint8_t{0};
    const bool is_single = lead < 0x80 || (table != CharacterTable::big5 && is_control_code(text, at));
    const char16_t code = is_single ? u'\0' : east_asian_character(table, lead, trail);
    if (code != 0) {
      out.put(code);
      at += 2;
    } else if (!is_single && table == CharacterTable::gb18030 && is_four_byte(text, at)) {
      ++errors.undefined_characters;
      at += 4;
    } else if (lead < 0xA0) {
      out.put(lead);
      ++at;
    } else if (lead != 0xFF && trail >= 0xA1 && trail != 0xFF) {
      ++errors.undefined_characters;
      at += 2;
    } else {
      ++errors.malformed;
      ++at;  // the next byte starts a new character
    }
  }
}

// The table of a text, and the number of bytes of its selection.
struct Selection {
  CharacterTable table = CharacterTable::unknown;
  std::size_t skip = 0;
  std::uint8_t compression = 0;
  auto operator<=>(const Selection&) const = default;
};

CharacterTable part_of_8859(unsigned part) {
  if (part == 0 || part > 15 || part == 12) return CharacterTable::unknown;
  return static_cast<CharacterTable>(static_cast<unsigned>(CharacterTable::iso8859_1) + part - 1);
}

Selection announced_table(Bytes text) {
  const std::uint8_t first = text[0];
  if (first >= 0x01 && first <= 0x0B) return {part_of_8859(first + 4U), 1};
  if (first == 0x10 && text.size() >= 3) {
    return {part_of_8859(static_cast<unsigned>(text[1] << 8 | text[2])), 3};
  }
  constexpr std::array kFrom11 = {CharacterTable::utf16be, CharacterTable::euc_kr, CharacterTable::gb18030,
                                  CharacterTable::big5, CharacterTable::utf8};
  if (first >= 0x11 && first <= 0x15) return {kFrom11[first - 0x11U], 1};
  if (first == 0x1F && text.size() >= 2) return {CharacterTable::compressed, 2, text[1]};
  return {CharacterTable::unknown, first == 0x10 ? text.size() : 1};
}

Selection select_table(Bytes text, const TextAssumption& assumption) {
  // A text that is announced as UTF-8 and valid is read as UTF-8, whatever is assumed about the broadcaster: epg.dat
  // has such texts in all languages.
  if (text.size() > 1 && text[0] == 0x15 &&
      valid_utf8({reinterpret_cast<const char*>(text.data()) + 1, text.size() - 1})) {
    return {CharacterTable::utf8, 1};
  }
  if (!has_selection_byte(text, assumption)) return {assumption.table, 0};
  Selection selection = announced_table(text);
  if (assumption.enforced && selection.table != CharacterTable::compressed) selection.table = assumption.table;
  // Polish broadcasters announce ISO/IEC 8859-5 and send two-byte marks.
  if (assumption.two_byte_marks && selection.table == CharacterTable::iso8859_5)
    selection.table = CharacterTable::iso6937;
  return selection;
}

void decode_in_table(Bytes text, CharacterTable table, TextWriter& out, TextErrors& errors) {
  if (is_one_byte(table)) return decode_one_byte(text, table, out, errors);
  switch (table) {
    case CharacterTable::utf8:
      return decode_utf8(text, out, errors);
    case CharacterTable::utf16be:
    case CharacterTable::utf16le:
      return decode_utf16(text, table == CharacterTable::utf16be, out, errors);
    case CharacterTable::big5:
      if (!looks_like_big5(text)) return decode_utf16(text, true, out, errors);
      [[fallthrough]];
    case CharacterTable::euc_kr:
    case CharacterTable::gb18030:
      decode_east_asian(text, table, out, errors);
      return;
    case CharacterTable::arib:
    case CharacterTable::arib_latin: {
      std::string decoded;
      decode_arib_text(text, table == CharacterTable::arib_latin, errors, decoded);
      return out.put_plain(decoded);
    }
    default:
      ++errors.unknown_tables;
  }
}

// The table of a text without a selection byte: UTF-8, or one of the two one-byte tables.
CharacterTable assumed_table(Bytes text, const TextAssumption& assumption) {
  const bool over_ascii = ascii_run(wire::text_of(text)) != text.size();
  if (!over_ascii && assumption.table != CharacterTable::unknown) return assumption.table;
  if (over_ascii && assumption.detect_utf8 && valid_utf8(wire::text_of(text))) return CharacterTable::utf8;
  TableEvidence evidence(assumption);
  evidence.add(text);
  return evidence.table();
}

void decode_compressed(std::uint8_t type, Bytes bits, const TextAssumption& assumption, TextWriter& out,
                       TextErrors& errors) {
  if (type != 1 && type != 2) {
    ++errors.unknown_tables;
    return;
  }
  if (assumption.huffman == nullptr || !assumption.huffman->has(type)) {
    ++errors.no_decoder;
    return;
  }
  const std::vector<std::uint8_t> text = assumption.huffman->decode(type, bits);
  if (text.empty()) return;
  // The decompressed text may or may not have a selection byte of its own; British broadcasters mean Latin letters.
  TextAssumption latin = assumption;
  latin.table = latin.alternative = CharacterTable::iso8859_1;
  Selection inner = select_table(text, latin);
  if (inner.skip == 0) inner.table = assumed_table(text, latin);
  decode_in_table(Bytes{text}.subspan(inner.skip), inner.table, out, errors);
}

Bytes without_leading_zeros(Bytes text) {
  while (!text.empty() && text[0] == 0) text = text.subspan(1);  // some broadcasters pad in front
  return text;
}

}  // namespace

void decode_dvb_text(std::span<const Bytes> parts, const TextAssumption& assumption, TextErrors* counters,
                     std::string& full, std::string* abbreviated) {
  TextErrors ignored;
  TextErrors& errors = counters != nullptr ? *counters : ignored;
  std::size_t expected = 0;
  for (const Bytes part : parts) expected += part.size();
  full.reserve(expected + expected / 4);
  TextWriter out(full, abbreviated);

  std::vector<std::uint8_t> joined;
  for (std::size_t at = 0; at < parts.size();) {
    const Bytes first = without_leading_zeros(parts[at]);
    if (first.empty()) {
      ++at;
      continue;
    }
    Selection selection = select_table(first, assumption);
    if (selection.table == CharacterTable::compressed) {  // each part is a separate bit stream
      decode_compressed(selection.compression, first.subspan(selection.skip), assumption, out, errors);
      ++at;
      continue;
    }
    // Joins the following parts with the same selection.
    Bytes run = first.subspan(selection.skip);
    bool alone = true;
    std::size_t next = at + 1;
    for (; next < parts.size(); ++next) {
      const Bytes part = without_leading_zeros(parts[next]);
      if (part.empty()) continue;
      if (select_table(part, assumption) != selection) break;
      if (alone) joined.assign(run.begin(), run.end());
      alone = false;
      const Bytes body = part.subspan(selection.skip);
      joined.insert(joined.end(), body.begin(), body.end());
    }
    if (!alone) run = joined;
    if (selection.skip == 0) selection.table = assumed_table(run, assumption);
    decode_in_table(run, selection.table, out, errors);
    at = next;
  }
  out.finish();
}

std::string decode_dvb_text(std::span<const Bytes> parts, const TextAssumption& assumption, TextErrors* errors) {
  std::string out;
  decode_dvb_text(parts, assumption, errors, out);
  return out;
}

ServiceName decode_service_name(Bytes text, const TextAssumption& assumption) {
  ServiceName name;
  decode_dvb_text({&text, 1}, assumption, nullptr, name.full, &name.abbreviated);
  return name;
}

}  // namespace receiverd::epg
