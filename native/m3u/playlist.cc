#include "m3u/playlist.h"

#include <array>
#include <cctype>
#include <charconv>

namespace receiverd::m3u {
namespace {

// ---- Escaping. Every function appends to `out`.

// Classes of bytes; a byte may be in several.
enum Mark : std::uint8_t {
  kControl = 1,   // C0 or DEL
  kUnsafe = 2,    // not allowed in any URL: controls, blank, double quote
  kPath = 4,      // allowed in the path of a URL: RFC 3986 pchar and "/"
  kParameter = 8  // safe in a query value for any reader: unreserved and "/"
};

constexpr std::array<std::uint8_t, 256> make_marks() {
  std::array<std::uint8_t, 256> marks{};
  for (unsigned byte = 0; byte < 0x20; ++byte) marks[byte] = kControl | kUnsafe;
  marks[0x7F] = kControl | kUnsafe;
  marks[' '] = kUnsafe;
  marks['"'] = kUnsafe;
  for (unsigned byte = '0'; byte <= '9'; ++byte) marks[byte] = kPath | kParameter;
  for (unsigned byte = 'A'; byte <= 'Z'; ++byte) marks[byte] = kPath | kParameter;
  for (unsigned byte = 'a'; byte <= 'z'; ++byte) marks[byte] = kPath | kParameter;
  for (const char c : std::string_view("-._~/")) marks[static_cast<std::uint8_t>(c)] = kPath | kParameter;
  for (const char c : std::string_view("!$&'()*+,;=:@")) marks[static_cast<std::uint8_t>(c)] = kPath;
  return marks;
}

constexpr std::array<std::uint8_t, 256> kMarks = make_marks();

bool marked(char c, Mark mark) { return (kMarks[static_cast<std::uint8_t>(c)] & mark) != 0; }

void append_percent(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<std::uint8_t>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

/// Percent-encodes the bytes that have `mark`, or those that lack it if `encode_marked` is false.
void append_encoded(std::string& out, std::string_view text, Mark mark, bool encode_marked) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (marked(text[at], mark) != encode_marked) continue;
    out.append(text, plain, at - plain);
    append_percent(out, text[at]);
    plain = at + 1;
  }
  out.append(text, plain);
}

/// C1 controls in UTF-8 are 0xC2 0x80 to 0xC2 0x9F.
bool is_c1(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && (static_cast<std::uint8_t>(text[at + 1]) & 0xE0U) == 0x80U;
}

void append_text(std::string& out, std::string_view text, char quote) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool c1 = is_c1(text, at);
    if (!c1 && !marked(text[at], kControl) && text[at] != '"') continue;
    out.append(text, plain, at - plain);
    if (text[at] == '"') out += quote;
    if (c1) ++at;
    plain = at + 1;
  }
  out.append(text, plain);
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// A displayed name, without control characters (C0, DEL, C1). C1 includes the emphasis marks U+0086 and U+0087 that
/// broadcasters put into names (EN 300 468 Annex A.1).
void append_name(std::string& out, std::string_view name) { append_text(out, name, '"'); }

/// Like append_name(), but for a quoted attribute: `"` becomes `'`.
void append_quoted(std::string& out, std::string_view name) { append_text(out, name, '\''); }

/// A service reference as the path of a URL. Colons stay. Everything not allowed in a path (RFC 3986 §3.3) and `%`
/// itself are percent-encoded, since the stream server decodes the whole target.
void append_path(std::string& out, std::string_view path) { append_encoded(out, path, kPath, false); }

/// A file path as the value of a query parameter: only letters, digits, `-._~` and `/` stay.
void append_file(std::string& out, std::string_view file) { append_encoded(out, file, kParameter, false); }

/// A complete URL: blanks, quotes and control characters are percent-encoded, everything else stays.
void append_url(std::string& out, std::string_view url) { append_encoded(out, url, kUnsafe, true); }

// ---- Addresses

/// The parts of a service reference, as views into its text. Only the colons are examined: a reference with fewer
/// than ten fields, or a bare URL, is all `fields`.
struct ReferenceParts {
  std::string_view fields;  ///< the ten fields, including the tenth colon unless the reference ends without it
  std::string_view path;    ///< percent-encoded as written
  bool complete = false;    ///< there are ten fields

  /// The reference without its name and with its final colon, as it identifies the service.
  std::string identity() const;

  /// The fourth field: the service id of a DVB service; 0 if it is not one.
  std::uint32_t service_id() const { return field(3); }

  /// Whether the third field is a service type of radio (EN 300 468 table 87).
  bool is_radio() const { return field(2) == 0x02 || field(2) == 0x0A; }

  /// One of the hexadecimal fields, from 0; 0 if it is missing.
  std::uint32_t field(int index) const;
};

constexpr std::size_t kFields = 10;

/// RFC 3986 §3.1: a letter, then letters, digits, "+", "-", "."; followed by "://".
bool is_url(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  std::size_t at = 1;
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '+' ||
                              text[at] == '-' || text[at] == '.')) {
    ++at;
  }
  return text.substr(at).starts_with("://");
}

std::string ReferenceParts::identity() const {
  std::string reference(fields);
  if (complete && !fields.ends_with(':')) reference += ':';
  reference += path;
  return reference;
}

std::uint32_t ReferenceParts::field(int index) const {
  std::string_view rest = fields;
  for (int skipped = 0; skipped < index; ++skipped) {
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return 0;
    rest.remove_prefix(colon + 1);
  }
  std::uint32_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  return value;
}

ReferenceParts split_reference(std::string_view reference) {
  if (is_url(reference)) return {reference, {}, false};
  std::size_t at = 0;
  std::size_t colons = 0;
  while (at < reference.size() && colons < kFields) colons += reference[at++] == ':' ? 1 : 0;
  // A reference may lack its last colon.
  if (colons < kFields) return {reference, {}, colons == kFields - 1 && !reference.ends_with(':')};
  const std::string_view rest = reference.substr(at);
  // The name follows the next colon. In real files the path may be a URL whose colon is not encoded; it then ends at a
  // blank.
  std::size_t end = rest.find(':');
  if (end != std::string_view::npos && rest.substr(end).starts_with("://")) end = rest.find(' ');
  return {reference.substr(0, at), rest.substr(0, end), true};
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t at = 0; at < prefix.size(); ++at) {
    if (std::tolower(static_cast<unsigned char>(text[at])) != prefix[at]) return false;
  }
  return true;
}

/// The reference of the service behind a stream relay on this machine: the relay's URL ends in it, and other machines
/// can reach the service only on the stream port. Empty if the URL is not such a relay.
std::string relayed_reference(std::string_view url) {
  const std::string_view rest = url.substr(url.find("://") + 3);
  const std::size_t slash = rest.find_last_of('/');
  if (slash == std::string_view::npos) return {};
  std::string_view host = rest.substr(0, rest.find('/'));
  if (const std::size_t login = host.rfind('@'); login != std::string_view::npos) host.remove_prefix(login + 1);
  const bool here =
      host.starts_with("127.") || host.starts_with("[::1]") || starts_with_ignoring_case(host, "localhost");
  if (!here) return {};
  std::string reference = percent_decode(rest.substr(slash + 1));
  return split_reference(reference).complete ? reference : std::string{};
}

/// Moves the options of a stream entry (`URL#User-Agent=x&Referer=y`, percent-encoded) to `address`. Returns the URL
/// without them.
std::string_view split_options(std::string_view url, Address& address) {
  const std::size_t mark = url.find('#');
  if (mark == std::string_view::npos || url.find('=', mark) == std::string_view::npos) return url;
  std::string_view options = url.substr(mark + 1);
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find('&'));
    options.remove_prefix(option.size() < options.size() ? option.size() + 1 : options.size());
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = option.substr(equals + 1);
    if (starts_with_ignoring_case(option, "user-agent=")) address.user_agent = percent_decode(value);
    if (starts_with_ignoring_case(option, "referer=")) address.referrer = percent_decode(value);
  }
  return url.substr(0, mark);
}

void append_ticket(std::string& out, char separator, std::string_view ticket) {
  if (ticket.empty()) return;
  out += separator;
  out += "ticket=";
  append_url(out, ticket);
}

std::string own_url(std::string_view reference, const Origin& origin) {
  std::string url;
  url.reserve(origin.streams.size() + 1 + reference.size() + origin.query.size() + origin.ticket.size() + 8);
  append_url(url, origin.streams);
  url += '/';
  append_path(url, reference);
  append_url(url, origin.query);
  append_ticket(url, origin.query.empty() ? '?' : '&', origin.ticket);
  return url;
}

// ---- Lines

struct Channel {
  std::string_view reference;  ///< as written; a name at the end is cut off
  std::string_view name;
  std::string_view number;  ///< `tvg-chno`, omitted if empty
  std::string_view picon;   ///< `tvg-logo`, a path on the web port or a URL; omitted if empty
  std::string_view group;   ///< `group-title`, omitted if empty
};

constexpr std::string_view kListHead = "#EXTM3U \n#EXTVLCOPT:http-reconnect=true\n";
constexpr std::string_view kSingleHead = "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n";

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_attribute(std::string& out, std::string_view key, std::string_view value) {
  out += ' ';
  out += key;
  out += "=\"";
  append_quoted(out, value);
  out += '"';
}

void append_logo(std::string& out, std::string_view picon, std::string_view web) {
  if (picon.empty()) return;
  out += " tvg-logo=\"";
  const bool elsewhere = picon.starts_with("http://") || picon.starts_with("https://");
  if (!elsewhere) append_url(out, web);
  append_url(out, picon);
  out += '"';
}

void append_extinf(std::string& out, std::int64_t seconds) {
  out += "#EXTINF:";
  append_number(out, seconds);
}

/// The line above a single stream, if it has a name.
void append_title(std::string& out, std::int64_t seconds, std::string_view name) {
  if (name.empty()) return;
  append_extinf(out, seconds);
  out += ',';
  append_name(out, name);
  out += '\n';
}

void append_option(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += "#EXTVLCOPT:";
  out += key;
  out += '=';
  append_name(out, value);
  out += '\n';
}

void append_program(std::string& out, std::uint32_t service_id) {
  out += "#EXTVLCOPT:program=";
  append_number(out, service_id);
  out += '\n';
}

/// The lines of a stream after `#EXTINF`.
void append_address(std::string& out, const Address& address, const Origin& origin) {
  if (address.service_id && origin.query.empty()) append_program(out, *address.service_id);
  append_option(out, "http-user-agent", address.user_agent);
  append_option(out, "http-referrer", address.referrer);
  out += address.url;
  out += '\n';
}

void append_channel(std::string& out, const Channel& channel, const Origin& origin) {
  const ReferenceParts parts = split_reference(channel.reference);
  const Address address = address_of(channel.reference, origin);
  append_extinf(out, -1);
  if (!channel.number.empty()) append_attribute(out, "tvg-chno", channel.number);
  append_logo(out, channel.picon, origin.web);
  append_attribute(out, "tvg-id", parts.identity());
  append_attribute(out, "tvg-name", channel.name);
  if (!channel.group.empty()) append_attribute(out, "group-title", channel.group);
  if (!address.service_id && parts.is_radio()) append_attribute(out, "radio", "true");
  out += ',';
  append_name(out, channel.name);
  out += '\n';
  append_address(out, address, origin);
  out += '\n';
}

}  // namespace

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (text.size() - at < 3) break;
    const int high = hexadecimal(text[at + 1]);
    const int low = hexadecimal(text[at + 2]);
    at += 2;
    if (high >= 0 && low >= 0 && (high | low) != 0) decoded += static_cast<char>(high << 4 | low);
  }
  return decoded;
}

Address address_of(std::string_view reference, const Origin& origin) {
  Address address;
  if (is_url(reference)) {  // a name may follow the first blank
    append_url(address.url, split_options(reference.substr(0, reference.find(' ')), address));
    return address;
  }
  const ReferenceParts parts = split_reference(reference);
  const std::string path = percent_decode(parts.path);
  if (!is_url(path)) {
    address.url = own_url(parts.identity(), origin);
    if (parts.complete) address.service_id = parts.service_id();
    return address;
  }
  if (const std::string relayed = relayed_reference(path); !relayed.empty()) {
    const ReferenceParts service = split_reference(relayed);
    address.url = own_url(service.identity(), origin);
    address.service_id = service.service_id();
    return address;
  }
  append_url(address.url, split_options(path, address));
  return address;
}

std::string channel_list(std::string_view packed, const Origin& origin) {
  std::string out;
  // A channel's entry contains its reference three times, its name twice, and about 150 other bytes.
  out.reserve(kListHead.size() + packed.size() * 6);
  out += kListHead;
  while (true) {
    std::array<std::string_view, 5> fields;
    for (std::string_view& field : fields) {
      const std::size_t end = packed.find('\0');
      if (end == std::string_view::npos) return out;
      field = packed.substr(0, end);
      packed.remove_prefix(end + 1);
    }
    append_channel(out, {fields[0], fields[1], fields[2], fields[3], fields[4]}, origin);
  }
}

std::string stream(std::string_view reference, std::string_view name, const Origin& origin) {
  std::string out(kSingleHead);
  append_title(out, -1, name);
  append_address(out, address_of(reference, origin), origin);
  return out;
}

std::string recording(const Recording& recording, const Origin& origin) {
  std::string out(kSingleHead);
  append_title(out, recording.seconds, recording.title);
  if (!recording.reference.empty()) {
    append_program(out, split_reference(recording.reference).service_id());
  }
  append_url(out, origin.web);
  out += "/file?file=";
  append_file(out, recording.path);
  append_ticket(out, '&', origin.ticket);
  out += '\n';
  return out;
}

}  // namespace receiverd::m3u
