// The M3U playlists of the receiver. Their forms are fixed by what clients have read for years:
//
//   channel list (services.m3u)                  stream (stream.m3u), recording (ts.m3u)
//   #EXTM3U_                                     #EXTM3U_
//   #EXTVLCOPT:http-reconnect=true               #EXTVLCOPT:http-reconnect=true_
//   #EXTINF:-1 tvg-chno="1" ... ,Alpha HD        #EXTINF:-1,Alpha HD          (-1 or seconds)
//   #EXTVLCOPT:program=11110                     #EXTVLCOPT:program=11110
//   http://box:8001/1:0:19:...:0:                http://box:8001/1:0:19:...:0:
//   (empty line, next entry)
//
// `_` is a blank at the end of the line. A URL of somebody else has no programme line: the number in the reference
// tells the guide, not the stream, and a player that looks for it there would show nothing.
//
// Thread safety: pure functions, no state. A list of 20,000 channels takes milliseconds, so the binding makes it on a
// worker thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiverd::m3u {

/// Prefixes of URLs without a final slash, and what goes behind those of the receiver (empty: not transcoded).
struct Origin {
  std::string_view streams;  ///< the stream port: `http://box:8001`
  std::string_view web;      ///< the web port: `http://box`
  std::string_view query;    ///< `?bitrate=...`, for transcoding
};

struct Channel {
  std::string_view reference;  ///< as written; a name behind it is cut off
  std::string_view name;
  std::string_view number;  ///< `tvg-chno`, left out when empty
  std::string_view picon;   ///< path on the web port or URL; empty: `/picon/` and the reference with underscores
  std::string_view group;   ///< `group-title`, left out when empty
};

struct Recording {
  std::string_view path;       ///< as given to `/file?file=`
  std::string_view title;      ///< empty: no `.meta` file, the list has the URL only
  std::int64_t seconds = -1;   ///< -1: unknown
  std::string_view reference;  ///< of the recorded service; empty: no programme line
};

/// Text of one packed list of channels, at most.
constexpr std::size_t kMaximumPacked = std::size_t{32} << 20U;

/// Reads channels from their packed form: reference, name, number, picon, group, each ended by NUL, again and again. An
/// entry that is cut off at the end is none.
class PackedChannels {
 public:
  explicit PackedChannels(std::string_view packed) : rest_(packed) {}
  std::optional<Channel> next();

 private:
  std::string_view rest_;
};

std::string channel_list(std::string_view packed, const Origin& origin);
std::string stream(std::string_view reference, std::string_view name, const Origin& origin);
std::string recording(const Recording& recording, const Origin& origin);

}  // namespace receiverd::m3u
