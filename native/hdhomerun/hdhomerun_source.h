// A tuner source that receives with a tuner of an HDHomeRun device.
//
//   TCP connection ─replies─► ControlSession ─requests─► connection
//   RTP (UDP) ─► RtpReceiver ─► read()
//
// All sockets are non-blocking and belong to the tuner's thread. Datagrams from other addresses than the device's are
// dropped. A lost connection is replaced once, without an interruption; if that fails too, the source has failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/source.h"
#include "hdhomerun/control.h"
#include "rtp/rtp_receiver.h"
#include "rtp/sockets.h"

namespace receiverd::hdhomerun {

struct HdhomerunOptions {
  std::uint32_t tuner = 0;  ///< of the device
  std::uint32_t lock_key = 1;
};

class HdhomerunSource final : public dvb::Source {
 public:
  explicit HdhomerunSource(HdhomerunOptions options);
  /// Releases the tuner. Waits up to kReleaseTimeout for the replies.
  ~HdhomerunSource() override;

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt) override;
  unsigned variants() const override { return static_cast<unsigned>(order_.queries.size()); }
  bool tuned() const override { return session_.playing(); }
  std::string tuning_error() const override { return session_.error(); }
  void set_wanted_pids(std::span<const std::uint16_t> pids) override { session_.set_wanted_pids(pids); }
  std::vector<std::uint16_t> take_resumed_pids() override { return session_.take_resumed_pids(); }
  dvb::ReadResult read(std::span<std::uint8_t> buffer) override;
  dvb::NetworkCounters network() const override { return receiver_.counters(); }
  dvb::SignalQuality signal() const override { return session_.signal(now_); }
  std::string error() const override { return session_.error(); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void wait(std::chrono::milliseconds time);
  void exchange_messages(Time now);
  bool send(Time now);
  void receive(Time now);
  void close_connection();
  void lose_connection(const std::string& reason, Time now);
  void receive_datagrams(Time now);

  ControlSession session_;
  ReplyReader reader_;
  rtp::RtpReceiver receiver_;

  dvb::TuningOrder order_;
  std::optional<rtp::Address> device_;
  rtp::Socket connection_;
  bool connected_ = false;
  Time connecting_since_{};
  Time reconnected_at_{};
  std::string unsent_;
  rtp::UdpPair ports_;
  rtp::Batch batch_;

  bool was_playing_ = false;  ///< at the last read()
  bool has_played_ = false;   ///< with this order, at least once
  bool retrying_ = false;     ///< tuning again with an order that has played
  Time next_read_{};
  Time now_{};
};

}  // namespace receiverd::hdhomerun
