// Maps a service reference to the URL that a playlist gives the player.
//
//   reference                                           URL
//   1:0:19:2B66:3F3:1:C00000:0:0:0:                     http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:
//   4097:0:1:...:http%3a//host%3a8080/live:Name         http://host:8080/live
//   4097:0:1:...:http%3a//host/live#User-Agent=VLC      http://host/live, with the agent beside it
//   1:0:19:...:http%3a//127.0.0.1%3a17999/1%3a0%3a19..  http://box:8001/1:0:19:..  (stream relay of the box itself)
//   1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts                 http://box:8001/1:0:1:0:0:0:0:0:0:0:/media/hdd/a.ts
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiverd::m3u {

/// The parts of a written service reference, as views into it. Only the colons are examined: a reference with fewer
/// than ten fields, or a bare URL, is all `fields`.
struct ReferenceParts {
  std::string_view fields;  ///< the ten fields, including the tenth colon unless the reference ends without it
  std::string_view path;    ///< percent-encoded as written
  bool complete = false;    ///< there are ten fields

  /// The reference without its name and with its final colon, as it identifies the service.
  std::string identity() const;

  /// The fourth field, hexadecimal: the service id of a DVB service; 0 if it is not one.
  std::uint32_t service_id() const;
};

ReferenceParts split_reference(std::string_view reference);

/// A service's entry in the playlist.
struct Address {
  std::string url;                          ///< percent-encoded, one line
  std::optional<std::uint32_t> service_id;  ///< the programme to take from the stream; none for a foreign stream
  std::string user_agent;                   ///< the options after `#` of a stream entry
  std::string referrer;
};

/// `streams` is the stream port's prefix without a final slash. `query` is appended to URLs of the receiver itself. An
/// empty reference is the root of the stream port.
Address address_of(std::string_view reference, std::string_view streams, std::string_view query);

}  // namespace receiverd::m3u
