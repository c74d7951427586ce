// Writes the receiver's M3U playlists. Existing clients depend on their formats, so these must not change:
//
//   channel list (services.m3u)                  stream (stream.m3u), recording (ts.m3u)
//   #EXTM3U_                                     #EXTM3U_
//   #EXTVLCOPT:http-reconnect=true               #EXTVLCOPT:http-reconnect=true_
//   #EXTINF:-1 tvg-chno="1" ... ,Alpha HD        #EXTINF:-1,Alpha HD          (-1 or seconds)
//   #EXTVLCOPT:program=11110                     #EXTVLCOPT:program=11110
//   http://box:8001/1:0:19:...:0:                http://box:8001/1:0:19:...:0:
//   (empty line, next entry)
//
// `_` stands for a blank at the end of the line. A URL of another server gets no `program` line: the service id in its
// reference is only for the guide, and a player that looked for that program in the stream would show nothing. Such an
// entry has `radio="true"` if it is a radio service, as in lists of providers; entries of the receiver never have it.
//
// Players read a playlist line by line; attributes are quoted, and the displayed name runs from the comma to the end of
// the line. Names come from the broadcast, from files and from requests, so they are escaped: none can start a line,
// end an attribute or end a URL. All texts are UTF-8.
//
// Thread safety: pure functions, no state. A list of 20,000 channels takes milliseconds, so the binding builds it on a
// worker thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiverd::m3u {

/// URL prefixes without a final slash, and what is appended to the receiver's own URLs.
struct Origin {
  std::string_view streams;  ///< the stream port: `http://box:8001`
  std::string_view web;      ///< the web port: `http://box`
  std::string_view query;    ///< `?bitrate=...` for transcoding, else empty
  std::string_view ticket;   ///< stream ticket to append, instead of a login; empty if none is needed
};

struct Recording {
  std::string_view path;       ///< as given to `/file?file=`
  std::string_view title;      ///< empty: no `.meta` file, the list has only the URL
  std::int64_t seconds = -1;   ///< -1: unknown
  std::string_view reference;  ///< of the recorded service; empty: no `program` line
};

/// Upper bound for `packed` of channel_list(); the binding rejects longer lists.
constexpr std::size_t kMaxPackedBytes = std::size_t{32} << 20U;

/// `packed` has five fields per channel, each terminated by NUL: reference, name, number, picon, group. A truncated
/// entry at the end is ignored.
std::string channel_list(std::string_view packed, const Origin& origin);
std::string stream(std::string_view reference, std::string_view name, const Origin& origin);
std::string recording(const Recording& recording, const Origin& origin);

/// A service's entry in the playlist.
struct Address {
  std::string url;                          ///< percent-encoded, one line
  std::optional<std::uint32_t> service_id;  ///< the program to select; none for a stream of another server
  std::string user_agent;                   ///< the options after `#` of a stream entry
  std::string referrer;
};

/// The URL that a playlist gives the player for a service reference.
///
///   reference                                           URL
///   1:0:19:2B66:3F3:1:C00000:0:0:0:                     http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:
///   4097:0:1:...:http%3a//host%3a8080/live:Name         http://host:8080/live
///   4097:0:1:...:http%3a//host/live#User-Agent=VLC      http://host/live, and user_agent = VLC
///   1:0:19:...:http%3a//127.0.0.1%3a17999/1%3a0%3a19..  http://box:8001/1:0:19:..  (stream relay of the box itself)
///   1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts                 http://box:8001/1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts
///
/// An empty reference is the root of the stream port.
Address address_of(std::string_view reference, const Origin& origin);

/// Percent-decodes as Enigma2 does: `%00` yields nothing, invalid hexadecimal digits are dropped with their `%`, and a
/// truncated `%` at the end ends the text.
std::string percent_decode(std::string_view text);

}  // namespace receiverd::m3u
