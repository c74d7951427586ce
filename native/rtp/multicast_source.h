// A tuner source that receives a transport stream from a multicast group, in UDP or in RTP (RFC 2250).
//
// The socket is bound to the group's address and port, because Linux otherwise delivers datagrams to that port from all
// groups that any process has joined. A group that is silent is joined again, since switches forget members.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "dvb/source.h"
#include "rtp/rtp_receiver.h"
#include "rtp/sockets.h"

namespace receiverd::rtp {

struct MulticastOptions {
  std::string group;  ///< numeric, IPv4 or IPv6; may be a unicast address of this machine, or `0.0.0.0`
  std::uint16_t port = 0;
  std::string sender = {};     ///< numeric, for a source-specific group (RFC 4607); empty: any sender
  std::string interface = {};  ///< name of the network interface; empty: chosen by the routing table
};

class MulticastSource final : public dvb::Source {
 public:
  /// Without data for so long, the group is joined again.
  static constexpr std::chrono::seconds kSilenceTimeout{10};

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
  Clock::time_point last_data_at_{};
  std::string error_;
};

}  // namespace receiverd::rtp
