#include "xmltv/xml_reader.h"

#include <algorithm>

#include "epg/text/utf8.h"
#include "xmltv/text.h"

namespace receiverd::xmltv {
namespace {

// The length of a reference, between & and ;.
constexpr std::size_t kMaxReferenceBytes = 32;
constexpr std::size_t kNone = std::string_view::npos;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<std::uint8_t>(c) >= 0x80;
}

bool is_name_character(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

// The length of the name at the beginning of `text`; 0 if there is none.
std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_name_start(text.front())) return 0;
  std::size_t end = 1;
  while (end < text.size() && is_name_character(text[end])) ++end;
  return end;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// The code point of `#60` or `#x3C`; 0 if XML does not allow it.
char32_t code_point_of(std::string_view reference) {
  const bool hexadecimal = reference.size() > 1 && (reference[1] == 'x' || reference[1] == 'X');
  const std::string_view digits = reference.substr(hexadecimal ? 2 : 1);
  if (digits.empty()) return 0;
  char32_t code = 0;
  for (const char c : digits) {
    char32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<char32_t>(c - '0');
    } else if (hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) {
      digit = static_cast<char32_t>((c | 0x20) - 'a' + 10);
    } else {
      return 0;
    }
    code = code * (hexadecimal ? 16 : 10) + digit;
    if (code > 0x10FFFF) return 0;
  }
  return code >= 0xD800 && code < 0xE000 ? 0 : code;
}

// Names in HTML of the characters from U+00A0 on (HTML 4, 24.2.1) and of some others, which writers of guide files use
// although XML does not predefine them.
constexpr std::string_view kLatinNames =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
    "micro "
    "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil "
    "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave "
    "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml "
    "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute "
    "thorn yuml";
constexpr char32_t kFirstLatin = 0xA0;
constexpr std::pair<std::string_view, char32_t> kOtherNames[] = {
    {"OElig", 0x152},  {"oelig", 0x153},  {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018},  {"rsquo", 0x2019},
    {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"bdquo", 0x201E}, {"bull", 0x2022},  {"hellip", 0x2026}, {"euro", 0x20AC}};

// The character with this name in HTML; 0 if there is none.
char32_t html_character(std::string_view wanted) {
  for (const auto& [name, code] : kOtherNames) {
    if (name == wanted) return code;
  }
  char32_t code = kFirstLatin;
  for (std::string_view rest = kLatinNames; !rest.empty(); ++code) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    if (name == wanted) return code;
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return 0;
}

// Appends the character of `&reference;`. False if the entity is unknown.
bool append_reference(std::string_view reference, std::string& out) {
  if (!reference.empty() && reference.front() == '#') {
    const char32_t code = code_point_of(reference);
    if (code == 0) return false;
    epg::append_utf8(out, code);
    return true;
  }
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, character] : kEntities) {
    if (name != reference) continue;
    out.push_back(character);
    return true;
  }
  const char32_t code = html_character(reference);
  if (code != 0) epg::append_utf8(out, code);
  return code != 0;
}

}  // namespace

const XmlAttributes::Attribute* XmlAttributes::find(std::string_view name) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::size_t XmlReader::read(std::string_view input) {
  paused_ = false;
  std::size_t at = 0;
  while (at < input.size() && !failed_ && !paused_) at = read_in_state(input, at);
  count_position(input.substr(0, at));
  if (failed_ && error_.line == 0) {
    error_.line = line_;
    error_.column = column_;
  }
  return at;
}

std::size_t XmlReader::read_in_state(std::string_view input, std::size_t at) {
  switch (state_) {
    case State::content:
      return read_content(input, at);
    case State::reference:
      return read_reference(input, at);
    case State::markup:
      return read_markup(input, at);
    case State::start_tag:
    case State::end_tag:
      return read_tag(input, at);
    case State::declaration:
      return read_declaration(input, at);
    case State::comment:
      return skip_past(input, at, '-', 2);
    case State::cdata:
      return read_cdata(input, at);
    case State::instruction:
      return skip_past(input, at, '?', 1);
    case State::doctype:
      return read_doctype(input, at);
  }
  return input.size();
}

bool XmlReader::finish() {
  if (failed_) return false;
  if (!open_.empty()) {
    fail("the document ends inside <" + open_names_.substr(open_.back()) + ">");
  } else if (state_ != State::content) {
    fail("the document ends inside a tag, comment or declaration");
  } else if (!root_seen_) {
    fail("the document is empty");
  } else {
    return true;
  }
  error_.line = line_;
  error_.column = column_;
  return false;
}

std::size_t XmlReader::read_content(std::string_view input, std::size_t at) {
  const std::size_t tag = std::min(input.find('<', at), input.size());
  const std::size_t reference = input.substr(0, tag).find('&', at);
  const std::size_t end = std::min(reference, tag);
  if (open_.empty()) {
    at = skip_blanks(input, at);
    if (at < end) {
      fail("there is text outside the root element");
      return at;
    }
  } else if (end > at) {
    handler_.text(input.substr(at, end - at));
  }
  if (end == input.size()) return end;
  state_ = input[end] == '<' ? State::markup : State::reference;
  token_.clear();
  return end + 1;
}

void XmlReader::put_text(std::string_view text) {
  if (!open_.empty()) return handler_.text(text);
  fail("there is text outside the root element");
}

std::size_t XmlReader::read_reference(std::string_view input, std::size_t at) {
  while (at < input.size()) {
    const char c = input[at];
    if (c == ';') {
      put_reference(true);
      return at + 1;
    }
    if (token_.size() == kMaxReferenceBytes || (!is_name_character(c) && c != '#')) {
      put_reference(false);
      return at;
    }
    token_.push_back(c);
    ++at;
  }
  return at;
}

void XmlReader::put_reference(bool terminated) {
  state_ = State::content;
  std::string text;
  if (!terminated || !append_reference(token_, text)) {
    ++unknown_entities_;
    text = "&" + token_ + (terminated ? ";" : "");
  }
  put_text(text);
}

std::size_t XmlReader::read_markup(std::string_view input, std::size_t at) {
  const char c = input[at];
  marks_ = 0;
  quote_ = 0;
  if (c == '/') {
    state_ = State::end_tag;
  } else if (c == '!') {
    state_ = State::declaration;
  } else if (c == '?') {
    state_ = State::instruction;
  } else if (is_name_start(c)) {
    state_ = State::start_tag;
    return at;
  } else {
    fail("a < that does not begin a tag must be written &lt;");
  }
  return at + 1;
}

std::size_t XmlReader::read_tag(std::string_view input, std::size_t at) {
  std::size_t end = at;
  for (; end < input.size(); ++end) {
    if (quote_ != 0) {
      const std::size_t closing = std::min(input.find(quote_, end), input.size());
      if (const std::size_t other = input.substr(0, closing).find('<', end); other != kNone) {
        fail("a < inside a value must be written &lt;, or its closing quote is missing");
        return other;
      }
      end = closing;
      if (end == input.size()) break;
      quote_ = 0;
    } else if (input[end] == '>') {
      break;
    } else if (input[end] == '"' || input[end] == '\'') {
      quote_ = input[end];
    } else if (input[end] == '<') {
      fail("a tag is not closed before the next one");
      return end;
    }
  }
  if (token_.size() + (end - at) > kMaxTagBytes) {
    fail("a tag is longer than " + std::to_string(kMaxTagBytes) + " bytes");
    return end;
  }
  const std::string_view here = input.substr(at, end - at);
  if (end == input.size()) {
    token_.append(here);
    return end;
  }
  const State kind = state_;
  state_ = State::content;
  const std::string_view tag = token_.empty() ? here : std::string_view(token_.append(here));
  if (kind == State::start_tag) {
    start_element(tag);
  } else {
    end_element(tag);
  }
  return end + 1;
}

void XmlReader::start_element(std::string_view tag) {
  const bool empty = tag.back() == '/';
  if (empty) tag.remove_suffix(1);
  const std::size_t length = name_length(tag);
  const std::string_view name = tag.substr(0, length);
  if (length > kMaxNameBytes) return fail("a name is longer than " + std::to_string(kMaxNameBytes) + " bytes");
  if (length == 0 || (length < tag.size() && !is_blank(tag[length]))) return fail("a tag has no valid name");
  if (open_.empty() && root_seen_) return fail("there is a second root element <" + std::string(name) + ">");
  if (open_.size() == kMaxDepth)
    return fail("elements are nested deeper than " + std::to_string(kMaxDepth) + " levels");
  if (!read_attributes(tag.substr(length)))
    return fail("an attribute of <" + std::string(name) + "> has no quoted value");
  root_seen_ = true;
  open_.push_back(open_names_.size());
  open_names_.append(name);
  proceed(handler_.start_element(name, attributes_));
  if (!empty || failed_) return;
  const bool paused = paused_;
  close(name);
  paused_ = paused_ || paused;
}

bool XmlReader::read_attributes(std::string_view tag) {
  attributes_.attributes_.clear();
  values_.clear();
  // Replacing a reference only ever makes a value shorter, so the buffer never moves and views into it stay valid.
  values_.reserve(tag.size());
  for (std::size_t at = skip_blanks(tag, 0); at < tag.size(); at = skip_blanks(tag, at)) {
    const std::size_t length = name_length(tag.substr(at));
    if (length == 0) return false;
    const std::string_view name = tag.substr(at, length);
    at = skip_blanks(tag, at + length);
    if (at == tag.size() || tag[at] != '=') return false;
    at = skip_blanks(tag, at + 1);
    if (at == tag.size() || (tag[at] != '"' && tag[at] != '\'')) return false;
    const std::size_t end = tag.find(tag[at], at + 1);
    if (end == kNone) return false;
    if (attributes_.attributes_.size() < kMaxAttributes) {
      attributes_.attributes_.push_back({name, value_of(tag.substr(at + 1, end - at - 1))});
    }
    at = end + 1;
  }
  return true;
}

std::string_view XmlReader::value_of(std::string_view raw) {
  if (raw.find('&') == kNone) return raw;
  const std::size_t begin = values_.size();
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t ampersand = std::min(raw.find('&', at), raw.size());
    values_.append(raw.substr(at, ampersand - at));
    at = ampersand;
    if (at == raw.size()) break;
    const std::size_t end = raw.find(';', at);
    if (end != kNone && end - at <= kMaxReferenceBytes && append_reference(raw.substr(at + 1, end - at - 1), values_)) {
      at = end + 1;
    } else {
      ++unknown_entities_;
      values_.push_back('&');
      ++at;
    }
  }
  return std::string_view(values_).substr(begin);
}

void XmlReader::end_element(std::string_view tag) {
  while (!tag.empty() && is_blank(tag.back())) tag.remove_suffix(1);
  if (open_.empty()) return fail("</" + std::string(tag.substr(0, kMaxNameBytes)) + "> closes nothing");
  const std::string_view name = std::string_view(open_names_).substr(open_.back());
  if (tag != name) {
    return fail("</" + std::string(tag.substr(0, kMaxNameBytes)) + "> found where </" + std::string(name) +
                "> is expected");
  }
  close(tag);
}

void XmlReader::close(std::string_view name) {
  const XmlNext next = handler_.end_element(name);
  open_names_.resize(open_.back());
  open_.pop_back();
  proceed(next);
}

void XmlReader::proceed(XmlNext next) {
  if (next == XmlNext::stop) {
    fail(handler_.refusal());
  } else {
    paused_ = next == XmlNext::pause;
  }
}

std::size_t XmlReader::read_declaration(std::string_view input, std::size_t at) {
  constexpr std::pair<std::string_view, State> kKinds[] = {
      {"--", State::comment}, {"[CDATA[", State::cdata}, {"DOCTYPE", State::doctype}};
  while (at < input.size()) {
    token_.push_back(input[at++]);
    bool possible = false;
    for (const auto& [word, state] : kKinds) {
      if (word == token_) {
        state_ = state;
        marks_ = 0;
        brackets_ = 0;
        doctype_ = Doctype::plain;
        token_.clear();
        if (state == State::cdata && open_.empty()) fail("there is text outside the root element");
        if (state == State::doctype && root_seen_) fail("a DOCTYPE follows the root element");
        return at;
      }
      possible = possible || word.substr(0, token_.size()) == token_;
    }
    if (!possible) {
      fail("<!" + token_ + " begins no known declaration");
      return at;
    }
  }
  return at;
}

// Advances past the terminator: `marks` or more of `mark`, then a >.
std::size_t XmlReader::skip_past(std::string_view input, std::size_t at, char mark, std::uint8_t marks) {
  while (at < input.size()) {
    if (marks_ == 0) {
      at = input.find(mark, at);
      if (at == kNone) return input.size();
      marks_ = 1;
      ++at;
    } else {
      const char c = input[at++];
      if (c == '>' && marks_ == marks) {
        state_ = State::content;
        return at;
      }
      marks_ = c == mark ? std::min<std::uint8_t>(marks, marks_ + 1) : std::uint8_t{0};
    }
  }
  return at;
}

std::size_t XmlReader::read_cdata(std::string_view input, std::size_t at) {
  constexpr std::string_view kBrackets = "]]";
  while (at < input.size()) {
    if (marks_ == 0) {
      const std::size_t bracket = std::min(input.find(']', at), input.size());
      if (bracket > at) put_text(input.substr(at, bracket - at));
      if (bracket == input.size()) return bracket;
      marks_ = 1;
      at = bracket + 1;
    } else if (input[at] == ']') {
      // Of many brackets, the last two are the terminator.
      if (marks_ == 2) put_text(kBrackets.substr(1));
      marks_ = 2;
      ++at;
    } else if (input[at] == '>' && marks_ == 2) {
      state_ = State::content;
      return at + 1;
    } else {
      put_text(kBrackets.substr(0, marks_));
      marks_ = 0;
    }
  }
  return at;
}

// Skips to the > that ends the DOCTYPE: not one inside its brackets, quotes, comments or instructions.
std::size_t XmlReader::read_doctype(std::string_view input, std::size_t at) {
  for (; at < input.size(); ++at) {
    const char c = input[at];
    switch (doctype_) {
      case Doctype::quoted:
        if (c == quote_) doctype_ = Doctype::plain;
        break;
      case Doctype::comment:
        if (c == '>' && marks_ == 2) doctype_ = Doctype::plain;
        marks_ = c == '-' ? std::min<std::uint8_t>(2, marks_ + 1) : std::uint8_t{0};
        break;
      case Doctype::instruction:
        if (c == '>' && marks_ == 1) doctype_ = Doctype::plain;
        marks_ = c == '?' ? 1 : 0;
        break;
      case Doctype::plain:
        // token_ holds the last characters that may be the beginning of <!-- or <?.
        if (c == '<') {
          token_ = "<";
        } else if (!token_.empty()) {
          token_.push_back(c);
          if (token_ == "<?") {
            doctype_ = Doctype::instruction;
          } else if (token_ == "<!--") {
            doctype_ = Doctype::comment;
          } else if (token_ == "<!" || token_ == "<!-") {
            break;
          }
          token_.clear();
          marks_ = 0;
          if (doctype_ != Doctype::plain) break;
        }
        if (c == '"' || c == '\'') {
          quote_ = c;
          doctype_ = Doctype::quoted;
        } else if (c == '[') {
          ++brackets_;
        } else if (c == ']' && brackets_ > 0) {
          --brackets_;
        } else if (c == '>' && brackets_ == 0) {
          state_ = State::content;
          token_.clear();
          return at + 1;
        }
        break;
    }
  }
  return at;
}

void XmlReader::fail(std::string what) {
  if (failed_) return;
  failed_ = true;
  error_.what = std::move(what);
}

void XmlReader::count_position(std::string_view passed) {
  const std::size_t last = passed.rfind('\n');
  if (last != kNone) {
    line_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
    column_ = 1;
    passed.remove_prefix(last + 1);
  }
  column_ += static_cast<std::uint64_t>(std::count_if(
      passed.begin(), passed.end(), [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace receiverd::xmltv
