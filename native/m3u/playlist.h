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
// Thread safety: pure functions, no state. A list of 20,000 channels takes milliseconds, so the binding builds it on a
// worker thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiverd::m3u {

/// URL prefixes without a final slash, and the suffix for the receiver's own URLs (empty: not transcoded).
struct Origin {
  std::string_view streams;  ///< the stream port: `http://box:8001`
  std::string_view web;      ///< the web port: `http://box`
  std::string_view query;    ///< `?bitrate=...`, for transcoding
};

struct Channel {
  std::string_view reference;  ///< as written; a name at the end is cut off
  std::string_view name;
  std::string_view number;  ///< `tvg-chno`, omitted if empty
  std::string_view picon;   ///< `tvg-logo`, a path on the web port or a URL; omitted if empty
  std::string_view group;   ///< `group-title`, omitted if empty
};

struct Recording {
  std::string_view path;       ///< as given to `/file?file=`
  std::string_view title;      ///< empty: no `.meta` file, the list has only the URL
  std::int64_t seconds = -1;   ///< -1: unknown
  std::string_view reference;  ///< of the recorded service; empty: no programme line
};

/// The largest packed channel list, in bytes.
constexpr std::size_t kMaximumPacked = std::size_t{32} << 20U;

/// Reads channels from their packed form: reference, name, number, picon, group, each terminated by NUL, repeated. A
/// truncated entry at the end is ignored.
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
