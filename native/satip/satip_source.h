// A tuner source that receives with a front end of a SAT>IP server.
//
//   RTSP connection ─replies─► Session ─requests─► connection
//        └ interleaved frames ┐
//   RTP, RTCP (UDP) ──────────┴─► RtpReceiver ─► read()
//
// All sockets are non-blocking and belong to the tuner's thread, which waits for all of them at once and wakes up at
// least fifty times a second. Datagrams from other addresses than the server's are dropped.
//
// If a session ends, a new one is set up, and reading continues. If that fails too, the source has failed like a device
// that has been unplugged, so that its users switch to another tuner.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/source.h"
#include "rtp/rtp_receiver.h"
#include "rtp/sockets.h"
#include "satip/rtsp.h"
#include "satip/session.h"

namespace receiverd::satip {

struct SatipOptions {
  bool tcp = false;  ///< RTP on the RTSP connection
  ServerTraits traits;
};

class SatipSource final : public dvb::Source {
 public:
  explicit SatipSource(SatipOptions options);
  /// Ends the session. Waits up to kTeardownTimeout for the reply, since some servers need the connection until then.
  ~SatipSource() override;

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt) override;
  unsigned variants() const override { return static_cast<unsigned>(order_.queries.size()); }
  bool tuned() const override { return session_.playing(); }
  std::string tuning_error() const override { return session_.error(); }
  void set_wanted_pids(std::span<const std::uint16_t> pids) override { session_.set_wanted_pids(pids); }
  std::vector<std::uint16_t> take_resumed_pids() override { return session_.take_resumed_pids(); }
  dvb::ReadResult read(std::span<std::uint8_t> buffer) override;
  dvb::NetworkCounters network() const override { return receiver_.counters(); }
  dvb::SignalQuality signal() const override;
  std::string error() const override { return session_.error(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kInputSize = std::size_t{128} << 10;

  void open_ports();
  std::string transport() const;
  void wait(std::chrono::milliseconds time);
  void exchange_messages(Time now);
  bool connect(Time now);
  bool send(Time now);
  void receive(Time now);
  void lose_connection(const std::string& reason, Time now);
  void receive_datagrams(Time now);
  void drop_stale_datagrams();
  void take_packet(bool is_control, wire::Bytes packet, Time now);

  SatipOptions options_;
  Session session_;
  RtspReader reader_;
  rtp::RtpReceiver receiver_;

  dvb::TuningOrder order_;
  std::optional<rtp::Address> server_;
  rtp::Socket connection_;
  bool connected_ = false;
  Time connecting_since_{};
  Time reconnected_at_{};  ///< last time the connection was replaced during a session
  std::string unsent_;
  rtp::UdpPair ports_;
  std::size_t kernel_buffer_bytes_ = 0;  ///< size of the kernel's receive buffer
  rtp::Batch batch_;

  bool was_playing_ = false;  ///< at the last read()
  bool has_played_ = false;   ///< with this order, at least once
  bool retrying_ = false;     ///< tuning again with an order that has played
  Time next_read_{};
  Time now_{};  ///< time of the data that reader_ is parsing
  std::vector<std::uint8_t> input_ = std::vector<std::uint8_t>(kInputSize);
};

}  // namespace receiverd::satip
