#include "m3u/playlist.h"

#include <array>
#include <charconv>

#include "m3u/address.h"
#include "m3u/escape.h"

namespace receiverd::m3u {

namespace {

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

void append_option(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += "#EXTVLCOPT:";
  out += key;
  out += '=';
  append_name(out, value);
  out += '\n';
}

void append_programme(std::string& out, std::uint32_t service_id) {
  out += "#EXTVLCOPT:program=";
  append_number(out, service_id);
  out += '\n';
}

/// The lines of a stream after `#EXTINF`.
void append_address(std::string& out, const Address& address, const Origin& origin) {
  if (address.service_id && origin.query.empty()) append_programme(out, *address.service_id);
  append_option(out, "http-user-agent", address.user_agent);
  append_option(out, "http-referrer", address.referrer);
  out += address.url;
  out += '\n';
}

void append_channel(std::string& out, const Channel& channel, const Origin& origin) {
  const ReferenceParts parts = split_reference(channel.reference);
  append_extinf(out, -1);
  if (!channel.number.empty()) append_attribute(out, "tvg-chno", channel.number);
  append_logo(out, channel.picon, origin.web);
  append_attribute(out, "tvg-id", parts.identity());
  append_attribute(out, "tvg-name", channel.name);
  if (!channel.group.empty()) append_attribute(out, "group-title", channel.group);
  out += ',';
  append_name(out, channel.name);
  out += '\n';
  append_address(out, address_of(channel.reference, origin.streams, origin.query), origin);
  out += '\n';
}

}  // namespace

std::optional<Channel> PackedChannels::next() {
  std::array<std::string_view, 5> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    field = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
  }
  return Channel{fields[0], fields[1], fields[2], fields[3], fields[4]};
}

std::string channel_list(std::string_view packed, const Origin& origin) {
  std::string out;
  // A channel's entry contains its reference three times, its name twice, and about 150 other bytes.
  out.reserve(kListHead.size() + packed.size() * 6);
  out += kListHead;
  PackedChannels channels(packed);
  while (const std::optional<Channel> channel = channels.next()) append_channel(out, *channel, origin);
  return out;
}

std::string stream(std::string_view reference, std::string_view name, const Origin& origin) {
  std::string out(kSingleHead);
  if (!name.empty()) {
    append_extinf(out, -1);
    out += ',';
    append_name(out, name);
    out += '\n';
  }
  append_address(out, address_of(reference, origin.streams, origin.query), origin);
  return out;
}

std::string recording(const Recording& recording, const Origin& origin) {
  std::string out(kSingleHead);
  if (!recording.title.empty()) {
    append_extinf(out, recording.seconds);
    out += ',';
    append_name(out, recording.title);
    out += '\n';
  }
  if (!recording.reference.empty() && origin.query.empty()) {
    append_programme(out, split_reference(recording.reference).service_id());
  }
  append_url(out, origin.web);
  out += "/file?file=";
  append_file(out, recording.path);
  append_url(out, origin.query);
  out += '\n';
  return out;
}

}  // namespace receiverd::m3u
