#include "xmltv/input_decoder.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "epg/eit/text_defaults.h"
#include "epg/text/character_tables.h"
#include "epg/text/utf8.h"
#include "xmltv/text.h"

namespace receiverd::xmltv {
namespace {

constexpr char16_t kReplacement = 0xFFFD;

// windows-1252, 0x80 to 0x9F; 0 = none.
constexpr std::array<char16_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }

// The value of `encoding` in an XML declaration, in lower case; '' if it has none.
std::string declared_encoding(std::string_view declaration) {
  constexpr std::string_view kName = "encoding";
  std::size_t at = declaration.find(kName);
  if (at == std::string_view::npos) return {};
  at += kName.size();
  while (at < declaration.size() && (is_blank(declaration[at]) || declaration[at] == '=')) ++at;
  if (at >= declaration.size() || (declaration[at] != '"' && declaration[at] != '\'')) return {};
  const std::size_t end = declaration.find(declaration[at], at + 1);
  if (end == std::string_view::npos) return {};
  std::string name(declaration.substr(at + 1, end - at - 1));
  std::transform(name.begin(), name.end(), name.begin(), lower);
  return name;
}

}  // namespace

bool InputDecoder::decode(wire::Bytes bytes, std::string& utf8) {
  if (form_ == Form::unsupported) return false;
  if (form_ != Form::unknown) {
    convert(bytes, utf8);
    return true;
  }
  // Only the head is needed to find the encoding; the rest of the piece is converted afterwards.
  const std::size_t taken = std::min(bytes.size(), kMaxDeclarationBytes - head_.size());
  head_.append(reinterpret_cast<const char*>(bytes.data()), taken);
  if (!start(utf8, false)) return false;
  if (form_ != Form::unknown) convert(bytes.subspan(taken), utf8);
  return true;
}

bool InputDecoder::finish(std::string& utf8) {
  if (!start(utf8, true)) return false;
  if (has_odd_byte_ || high_surrogate_ != 0) epg::append_utf8(utf8, kReplacement);
  has_odd_byte_ = false;
  high_surrogate_ = 0;
  return true;
}

bool InputDecoder::start(std::string& utf8, bool last) {
  if (form_ == Form::unknown) {
    recognise(last || head_.size() == kMaxDeclarationBytes);
    if (form_ != Form::unknown && form_ != Form::unsupported) {
      const std::string head = std::move(head_);
      head_.clear();
      convert(wire::bytes_of(head), utf8);
    }
  }
  return form_ != Form::unsupported;
}

void InputDecoder::recognise(bool last) {
  using namespace std::string_view_literals;
  if (head_.size() < 4 && !last) return;
  const auto marked = [&](std::string_view mark, Form form) {
    if (!head_.starts_with(mark)) return false;
    form_ = form;
    head_.erase(0, mark.size());
    return true;
  };
  if (marked("\xEF\xBB\xBF"sv, Form::utf8) || marked("\xFF\xFE"sv, Form::utf16le) ||
      marked("\xFE\xFF"sv, Form::utf16be)) {
    return;
  }
  if (head_.starts_with("<\0"sv)) {
    form_ = Form::utf16le;
  } else if (head_.starts_with("\0<"sv)) {
    form_ = Form::utf16be;
  } else if (const std::size_t end = head_.find("?>"); head_.starts_with("<?xm") && end != std::string::npos) {
    encoding_ = declared_encoding(std::string_view(head_).substr(0, end));
    apply_declared_encoding();
  } else if (last || !head_.starts_with("<?xm")) {
    form_ = Form::utf8;  // if a declaration has no end, the reader reports it
  }
}

void InputDecoder::apply_declared_encoding() {
  using enum epg::CharacterTable;
  // A declaration that names UTF-16 but is itself not UTF-16: a program has converted the file without changing the
  // declaration.
  constexpr std::string_view kUtf8[] = {"", "us-ascii", "ascii", "utf-16"};
  constexpr std::string_view kWindows[] = {"windows-1252", "cp1252", "latin1"};
  const auto table = epg::table_named(encoding_);
  if (table == utf8 || std::ranges::find(kUtf8, encoding_) != std::end(kUtf8)) {
    form_ = Form::utf8;
  } else if (table == iso8859_1 || std::ranges::find(kWindows, encoding_) != std::end(kWindows)) {
    form_ = Form::windows1252;
  } else if (table && *table > iso8859_1 && *table <= iso8859_15) {
    form_ = Form::table;
    table_ = *table;
  } else {
    form_ = Form::unsupported;
  }
}

void InputDecoder::convert(wire::Bytes bytes, std::string& utf8) {
  switch (form_) {
    case Form::utf8:
      utf8.append(wire::text_of(bytes));
      return;
    case Form::utf16le:
    case Form::utf16be:
      return convert_utf16(bytes, utf8);
    case Form::table:
    case Form::windows1252:
      for (const std::uint8_t byte : bytes) {
        char16_t code = byte;
        if (byte >= 0xA0 && form_ == Form::table) code = epg::table_character(table_, byte);
        if (byte >= 0x80 && byte < 0xA0) code = form_ == Form::windows1252 ? kWindows1252[byte - 0x80] : char16_t{0};
        epg::append_utf8(utf8, code == 0 ? kReplacement : code);
      }
      return;
    case Form::unknown:
    case Form::unsupported:
      return;
  }
}

void InputDecoder::convert_utf16(wire::Bytes bytes, std::string& utf8) {
  for (const std::uint8_t byte : bytes) {
    if (!has_odd_byte_) {
      odd_byte_ = byte;
      has_odd_byte_ = true;
      continue;
    }
    has_odd_byte_ = false;
    const int high = form_ == Form::utf16be ? odd_byte_ : byte;
    const int low = form_ == Form::utf16be ? byte : odd_byte_;
    append_unit(static_cast<std::uint16_t>(high << 8 | low), utf8);
  }
}

void InputDecoder::append_unit(std::uint16_t unit, std::string& utf8) {
  const bool low = unit >= 0xDC00 && unit < 0xE000;
  if (high_surrogate_ != 0) {
    const char32_t high = high_surrogate_;
    high_surrogate_ = 0;
    if (low) return epg::append_utf8(utf8, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00U));
    epg::append_utf8(utf8, kReplacement);
  }
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_surrogate_ = unit;
  } else {
    epg::append_utf8(utf8, low ? kReplacement : static_cast<char16_t>(unit));
  }
}

}  // namespace receiverd::xmltv
