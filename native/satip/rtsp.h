// Parses what a SAT>IP server sends on its RTSP connection (EN 50585 §3.5, RFC 2326): replies and, if it delivers over
// TCP, interleaved frames between them (RFC 2326 §10.12).
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
  std::string phrase;     ///< such as "Service Unavailable"
  unsigned sequence = 0;  ///< CSeq; 0 if it has none
  std::string session;    ///< without its parameters
  unsigned timeout = 0;   ///< seconds; 0 if not given
  std::string stream;     ///< com.ses.streamID
  std::string body;
};

/// A reply as a human-readable text, `503 Service Unavailable (No-More: frontends)`, without control characters.
std::string text_of(const Reply& reply);

/// Takes the bytes of a connection in pieces of any size. Bytes that belong to neither a reply nor a frame are skipped.
/// Buffers at most one frame of 65,539 bytes, or one reply of kMaxHeadBytes and kMaxBodyBytes.
class RtspReader {
 public:
  static constexpr std::size_t kMaxHeadBytes = 8192;
  static constexpr std::size_t kMaxBodyBytes = 16384;

  using TakeReply = std::function<void(const Reply&)>;
  /// Even channels carry RTP, odd ones RTCP.
  using TakeFrame = std::function<void(unsigned channel, wire::Bytes frame)>;

  RtspReader(TakeReply reply, TakeFrame frame) : reply_(std::move(reply)), frame_(std::move(frame)) {}

  void feed(wire::Bytes bytes);
  /// Call it when a new connection begins.
  void reset() { waiting_.clear(); }

 private:
  std::size_t consume(wire::Bytes bytes);
  std::size_t consume_text(wire::Bytes bytes);

  const TakeReply reply_;
  const TakeFrame frame_;
  std::vector<std::uint8_t> waiting_;  ///< the start of an incomplete reply or frame
};

}  // namespace receiverd::satip
