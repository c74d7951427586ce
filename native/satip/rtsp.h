// What a SAT>IP server sends on its RTSP connection (EN 50585 §3.5, RFC 2326): replies, and between them, if it
// delivers over TCP, interleaved frames (§10.12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::satip {

struct Reply {
  unsigned code = 0;
  std::string phrase;     ///< "Service Unavailable"
  unsigned sequence = 0;  ///< CSeq; 0 if it has none
  std::string session;    ///< without its parameters
  unsigned timeout = 0;   ///< seconds; 0 if it does not say
  std::string stream;     ///< com.ses.streamID
  std::string body;
};

/// `503 Service Unavailable (No-More: frontends)`: a reply for people, without what a terminal would obey.
std::string text_of(const Reply& reply);

/// Takes the bytes of a connection in any pieces. What is neither a reply nor a frame is skipped. Holds at most one
/// frame of 65,539 bytes, or a reply of kLongestHead and kLongestBody.
class RtspReader {
 public:
  static constexpr std::size_t kLongestHead = 8192;
  static constexpr std::size_t kLongestBody = 16384;

  using TakeReply = std::function<void(const Reply&)>;
  /// Even channels carry RTP, odd ones RTCP.
  using TakeFrame = std::function<void(unsigned channel, wire::Bytes frame)>;

  RtspReader(TakeReply reply, TakeFrame frame) : reply_(std::move(reply)), frame_(std::move(frame)) {}

  void feed(wire::Bytes bytes);
  /// A new connection begins.
  void reset() { waiting_.clear(); }

 private:
  std::size_t consume(wire::Bytes bytes);
  std::size_t consume_text(wire::Bytes bytes);

  const TakeReply reply_;
  const TakeFrame frame_;
  std::vector<std::uint8_t> waiting_;  ///< the beginning of what is not complete yet
};

}  // namespace receiverd::satip
