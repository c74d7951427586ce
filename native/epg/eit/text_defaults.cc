#include "epg/eit/text_defaults.h"

#include <cctype>
#include <charconv>
#include <string>
#include <vector>

namespace receiverd::epg {
namespace {

Language language_of_text(std::string_view code) { return code.size() == 3 ? language_of(wire::bytes_of(code)) : 0; }

TextAssumption perhaps(CharacterTable alternative) { return {.alternative = alternative}; }
TextAssumption surely(CharacterTable table) { return {.table = table, .alternative = table}; }

std::optional<TextAssumption> assumption_named(std::string_view text) {
  TextAssumption assumption;
  if (const auto colon = text.find(':'); colon != text.npos) {
    const std::string_view prefix = text.substr(0, colon);
    if (prefix == "N" || prefix == "NOID") {
      assumption.no_selection_bytes = true;
    } else if (prefix == "E" || prefix == "ENFORCE") {
      assumption.enforced = true;
    } else {
      return std::nullopt;
    }
    text.remove_prefix(colon + 1);
  }
  const auto table = table_named(text);
  if (!table) return std::nullopt;
  assumption.table = assumption.alternative = *table;
  return assumption;
}

std::optional<std::uint16_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  while (true) {
    const auto begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos) return words;
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

}  // namespace

std::optional<CharacterTable> table_named(std::string_view name) {
  std::string plain;
  for (const char character : name) {
    if (std::isalnum(static_cast<unsigned char>(character)) != 0) {
      plain.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(character))));
    }
  }
  const std::string_view text = plain;
  if (text.starts_with("ISO8859")) {
    unsigned part = 0;
    const std::string_view digits = text.substr(7);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), part);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    if (part < 1 || part > 15 || part == 12) return std::nullopt;
    return static_cast<CharacterTable>(static_cast<unsigned>(CharacterTable::iso8859_1) + part - 1);
  }
  if (text == "ISO6937") return CharacterTable::iso6937;
  if (text == "UTF8") return CharacterTable::utf8;
  if (text == "GB18030" || text == "GB2312" || text == "GBK" || text == "CP936") return CharacterTable::gb18030;
  if (text == "BIG5" || text == "CP950") return CharacterTable::big5;
  if (text == "EUCKR" || text == "KSC5601" || text == "KSX1001") return CharacterTable::euc_kr;
  if (text == "UNICODE" || text == "UTF16BE") return CharacterTable::utf16be;
  if (text == "UTF16LE") return CharacterTable::utf16le;
  return std::nullopt;
}

TextDefaults::TextDefaults() {
  using enum CharacterTable;
  const auto add = [this](std::initializer_list<std::string_view> codes, const TextAssumption& assumption) {
    for (const std::string_view code : codes) languages_[language_of_text(code)] = assumption;
  };
  add({"ara"}, perhaps(iso8859_6));
  add({"tur"}, perhaps(iso8859_9));
  add({"gre", "ell"}, perhaps(iso8859_7));
  add({"hun", "cze", "ces", "slo", "slk"}, surely(iso6937));
  add({"pol"}, perhaps(iso8859_2));
  add({"rus", "bul", "ukr", "bel", "mac", "mkd", "srp"}, perhaps(iso8859_5));
  add({"heb"}, perhaps(iso8859_8));
  add({"chi", "zho", "chn"}, surely(gb18030));
  add({"kor"}, surely(euc_kr));
  add({"fas", "per", "pes"}, surely(utf8));
  // Thai broadcasters announce arbitrary tables and mean ISO/IEC 8859-11.
  add({"tha"}, {.table = iso8859_11, .alternative = iso8859_11, .enforced = true});
  // Japanese multiplexes are not DVB: their texts use ARIB STD-B24 codes, which look like ASCII but are not.
  add({"jpn"}, surely(unknown));

  networks_[0x600] = {.two_byte_marks = true};
  for (std::uint16_t stream = 2; stream <= 4; ++stream) multiplexes_[multiplex(1, stream)] = perhaps(iso8859_5);
  networks_[126] = perhaps(iso8859_9);
  multiplexes_[multiplex(42, 1070)] = perhaps(iso8859_9);
}

std::size_t TextDefaults::add(std::string_view encoding_conf) {
  std::size_t bad = 0;
  while (!encoding_conf.empty()) {
    std::string_view line = encoding_conf.substr(0, encoding_conf.find('\n'));
    encoding_conf.remove_prefix(std::min(encoding_conf.size(), line.size() + 1));
    const auto words = fields_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    const auto first = number(words[0]);
    const auto assumption = assumption_named(words.back());
    if (first && words.size() <= 3) {
      const auto network = words.size() > 1 ? number(words[1]) : std::nullopt;
      if (network && words.size() == 2) {
        multiplexes_[multiplex(*network, *first)] = {.two_byte_marks = true};
        continue;
      }
      if (network && assumption) {
        multiplexes_[multiplex(*network, *first)] = *assumption;
        continue;
      }
    } else if (words.size() == 2 && assumption) {
      const Language language = language_of_text(words[0]);
      if (words[0] == "*") {
        other_ = *assumption;
        continue;
      }
      if (language != 0) {
        languages_[language] = *assumption;
        continue;
      }
    }
    ++bad;
  }
  return bad;
}

TextAssumption TextDefaults::assumption(Language language, std::uint16_t original_network_id,
                                        std::uint16_t transport_stream_id) const {
  if (const auto found = multiplexes_.find(multiplex(original_network_id, transport_stream_id));
      found != multiplexes_.end()) {
    return found->second;
  }
  if (const auto found = networks_.find(original_network_id); found != networks_.end()) return found->second;
  if (const auto found = languages_.find(language); found != languages_.end()) return found->second;
  return other_;
}

}  // namespace receiverd::epg
