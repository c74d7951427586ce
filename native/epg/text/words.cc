#include "epg/text/words.h"

#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

using Kind = CharacterKind;

bool is_ascii_letter(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}

Kind kind_before(std::string_view text, std::size_t at) {
  if (at == 0) return Kind::none;
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return character_kind(next_utf8(text, begin));
}

Kind kind_at(std::string_view text, std::size_t at) {
  return at < text.size() ? character_kind(next_utf8(text, at)) : Kind::none;
}

}  // namespace

CharacterKind character_kind(char32_t code) {
  if (code < 0x80) {
    return is_ascii_letter(static_cast<unsigned char>(code)) ? Kind::letter : Kind::none;
  }
  if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA ? Kind::letter : Kind::none;
  if (code == 0xD7 || code == 0xF7 || code == kNotUtf8) return Kind::none;
  if (code >= 0x2000 && code < 0x2C00) return Kind::none;     // punctuation, arrows, signs
  if (code >= 0x2E00 && code < 0x2E80) return Kind::none;     // more punctuation
  if (code >= 0x3000 && code <= 0x3004) return Kind::none;    // ideographic blank and full stop
  if (code >= 0x3008 && code <= 0x3020) return Kind::none;    // brackets
  if (code >= 0xFE10 && code <= 0xFE6F) return Kind::none;    // presentation forms of punctuation
  if (code >= 0xFFF0 && code <= 0xFFFF) return Kind::none;    // the replacement character and its neighbours
  if (code >= 0x1F000 && code <= 0x1FAFF) return Kind::none;  // pictographs
  if (code == 0x060C || code == 0x061B || code == 0x061F || code == 0x06D4) return Kind::none;
  if (code == 0x0964 || code == 0x0965 || code == 0x05BE || code == 0x05F3 || code == 0x05F4) return Kind::none;
  if (code >= 0x0E00 && code <= 0x0EFF) return Kind::alone;                                          // Thai, Lao
  if ((code >= 0x1000 && code <= 0x109F) || (code >= 0x1780 && code <= 0x17FF)) return Kind::alone;  // Burmese, Khmer
  if (code >= 0x3005 && code <= 0x30FF) return Kind::alone;
  if ((code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF)) return Kind::alone;
  if (code >= 0x20000 && code <= 0x3FFFF) return Kind::alone;
  return Kind::letter;
}

bool is_word_edge(std::string_view text, std::size_t at) {
  return kind_before(text, at) != Kind::letter || kind_at(text, at) != Kind::letter;
}

Token next_token(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  const Kind kind = character_kind(next_utf8(text, at));
  while (kind == Kind::letter && at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (!is_ascii_letter(byte)) break;
      ++at;
      continue;
    }
    std::size_t behind = at;
    if (character_kind(next_utf8(text, behind)) != Kind::letter) break;
    at = behind;
  }
  return {text.substr(begin, at - begin), kind};
}

std::string_view next_gram(std::string_view text, std::size_t& at) {
  const auto behind_character = [text](std::size_t from) {
    do {
      ++from;
    } while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80);
    return from;
  };
  const std::size_t begin = at;
  at = behind_character(at);
  std::size_t end = at;
  for (int more = 2; more > 0 && end < text.size(); --more) end = behind_character(end);
  return text.substr(begin, end - begin);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const Token token = next_token(text, at);
    if (token.kind != Kind::none) words.push_back(token.text);
  }
  return words;
}

}  // namespace receiverd::epg
