// The receiver's M3U playlists. Their formats are fixed, because clients have long relied on them:
//
//   channel list (services.m3u)                  stream (stream.m3u), recording (ts.m3u)
//   #EXTM3U_                                     #EXTM3U_
//   #EXTVLCOPT:http-reconnect=true               #EXTVLCOPT:http-reconnect=true_
//   #EXTINF:-1 tvg-chno="1" ... ,Alpha HD        #EXTINF:-1,Alpha HD          (-1 or seconds)
//   #EXTVLCOPT:program=11110                     #EXTVLCOPT:program=11110
//   http://box:8001/1:0:19:...:0:                http://box:8001/1:0:19:...:0:
//   (empty line, next entry)
//
// `_` is a blank at the end of the line. A foreign URL has no programme line: the number in the reference is for the
// guide, not the stream, and a player that looked for it there would show nothing.
//
// A playlist is read line by line, attributes are quoted, and the displayed name runs from the comma to the end of the
// line. Names come from the air, from files and from requests. None of them may start a new line, end an attribute or
// end a URL. All texts are UTF-8.
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
  std::string_view query;    ///< `?bitrate=...`, for transcoding; else empty
  std::string_view ticket;   ///< that stands for a login; empty: none is needed
};

struct Recording {
  std::string_view path;       ///< as given to `/file?file=`
  std::string_view title;      ///< empty: no `.meta` file, the list has only the URL
  std::int64_t seconds = -1;   ///< -1: unknown
  std::string_view reference;  ///< of the recorded service; empty: no programme line
};

/// The largest packed channel list, in bytes.
constexpr std::size_t kMaximumPacked = std::size_t{32} << 20U;

/// `packed` has the channels as reference, name, number, picon, group, each terminated by NUL. A truncated entry at the
/// end is ignored.
std::string channel_list(std::string_view packed, const Origin& origin);
std::string stream(std::string_view reference, std::string_view name, const Origin& origin);
std::string recording(const Recording& recording, const Origin& origin);

/// A service's entry in the playlist.
struct Address {
  std::string url;                          ///< percent-encoded, one line
  std::optional<std::uint32_t> service_id;  ///< the programme to take from the stream; none for a foreign stream
  std::string user_agent;                   ///< the options after `#` of a stream entry
  std::string referrer;
};

/// The URL that a playlist gives the player for a service reference.
///
///   reference                                           URL
///   1:0:19:2B66:3F3:1:C00000:0:0:0:                     http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:
///   4097:0:1:...:http%3a//host%3a8080/live:Name         http://host:8080/live
///   4097:0:1:...:http%3a//host/live#User-Agent=VLC      http://host/live, with the agent beside it
///   1:0:19:...:http%3a//127.0.0.1%3a17999/1%3a0%3a19..  http://box:8001/1:0:19:..  (stream relay of the box itself)
///   1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts                 http://box:8001/1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts
///
/// An empty reference is the root of the stream port.
Address address_of(std::string_view reference, const Origin& origin);

/// Percent-decodes as Enigma2 does: `%00` yields nothing, invalid hexadecimal digits are dropped with their `%`, and a
/// truncated `%` at the end ends the text.
std::string percent_decode(std::string_view text);

}  // namespace receiverd::m3u
