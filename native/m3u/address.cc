#include "m3u/address.h"

#include <cctype>
#include <charconv>
#include <cstddef>

#include "m3u/escape.h"

namespace receiverd::m3u {

namespace {

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

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t at = 0; at < prefix.size(); ++at) {
    if (std::tolower(static_cast<unsigned char>(text[at])) != prefix[at]) return false;
  }
  return true;
}

/// The URL of a stream relay on this receiver ends in the reference of the relayed service. Another machine can reach
/// that service only on the stream port. Empty if the URL is not such a relay.
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

/// Options of a stream entry: `URL#User-Agent=x&Referer=y`. They are not part of the URL.
std::string_view take_options(std::string_view url, Address& address) {
  const std::size_t mark = url.find('#');
  if (mark == std::string_view::npos || url.find('=', mark) == std::string_view::npos) return url;
  std::string_view options = url.substr(mark + 1);
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find('&'));
    options.remove_prefix(option.size() < options.size() ? option.size() + 1 : options.size());
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = option.substr(equals + 1);
    if (starts_with_ignoring_case(option, "user-agent=")) address.user_agent = value;
    if (starts_with_ignoring_case(option, "referer=")) address.referrer = value;
  }
  return url.substr(0, mark);
}

std::string own_url(std::string_view streams, std::string_view reference, std::string_view query) {
  std::string url;
  url.reserve(streams.size() + 1 + reference.size() + query.size());
  append_url(url, streams);
  url += '/';
  append_path(url, reference);
  append_url(url, query);
  return url;
}

}  // namespace

std::string ReferenceParts::identity() const {
  std::string reference(fields);
  if (complete && !fields.ends_with(':')) reference += ':';
  reference += path;
  return reference;
}

std::uint32_t ReferenceParts::service_id() const {
  std::string_view field = fields;
  for (int skipped = 0; skipped < 3; ++skipped) {
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) return 0;
    field.remove_prefix(colon + 1);
  }
  std::uint32_t id = 0;
  std::from_chars(field.data(), field.data() + field.size(), id, 16);
  return id;
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

Address address_of(std::string_view reference, std::string_view streams, std::string_view query) {
  Address address;
  if (is_url(reference)) {  // a name may follow the first blank
    append_url(address.url, take_options(reference.substr(0, reference.find(' ')), address));
    return address;
  }
  const ReferenceParts parts = split_reference(reference);
  const std::string path = percent_decode(parts.path);
  if (!is_url(path)) {
    address.url = own_url(streams, parts.identity(), query);
    if (parts.complete) address.service_id = parts.service_id();
    return address;
  }
  if (const std::string relayed = relayed_reference(path); !relayed.empty()) {
    const ReferenceParts service = split_reference(relayed);
    address.url = own_url(streams, service.identity(), query);
    address.service_id = service.service_id();
    return address;
  }
  append_url(address.url, take_options(path, address));
  return address;
}

}  // namespace receiverd::m3u
