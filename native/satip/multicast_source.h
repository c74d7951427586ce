// A tuner source that receives a transport stream from a multicast group: bare in UDP, or by RTP (RFC 2250).
//
// The socket is bound to the group and its port, so that other groups of that port do not mix in (Linux delivers what
// any process of the machine has joined). A group that is silent is joined anew, since switches forget members.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "dvb/source.h"
#include "satip/rtp.h"
#include "satip/sockets.h"

namespace receiverd::satip {

struct MulticastOptions {
  std::string group;  ///< numeric, IPv4 or IPv6; a unicast address of this machine, or `0.0.0.0`, is no group
  std::uint16_t port = 0;
  std::string sender = {};     ///< numeric: of a source-specific group (RFC 4607); empty: anybody
  std::string interface = {};  ///< its name; empty: by the routes
};

class MulticastSource final : public dvb::Source {
 public:
  static constexpr std::chrono::seconds kSilence{10};

  explicit MulticastSource(MulticastOptions options) : options_(std::move(options)) {}

  dvb::ReadResult read(std::span<std::uint8_t> buffer) override;
  dvb::NetworkCounters network() const override { return receiver_.counters(); }
  /// Locked while datagrams arrive; nothing else can be measured.
  dvb::SignalQuality signal() const override { return {.locked = locked_}; }
  std::string error() const override { return error_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool join();
  bool join_group(const Address& group, unsigned interface);
  bool fail(std::string what);

  const MulticastOptions options_;
  Socket socket_;
  Batch batch_;
  RtpReceiver receiver_;
  std::optional<Address> sender_;
  bool locked_ = false;
  Clock::time_point heard_{};
  std::string error_;
};

}  // namespace receiverd::satip
