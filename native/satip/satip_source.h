// A tuner source that receives by a front end of a SAT>IP server.
//
//   RTSP connection ─replies─► Session ─requests─► connection
//        └ interleaved frames ┐
//   RTP, RTCP (UDP) ──────────┴─► RtpReceiver ─► read()
//
// Everything is done on the tuner's thread by non-blocking sockets: it waits for all of them at once, and otherwise
// wakes up fifty times a second. Only the server's address may send data.
//
// A session that ends is begun anew, and what is read goes on. If that fails too the source has failed, as a device
// that has been unplugged, so that its users go to another tuner.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/source.h"
#include "satip/rtp.h"
#include "satip/rtsp.h"
#include "satip/session.h"
#include "satip/sockets.h"

namespace receiverd::satip {

struct SatipOptions {
  bool tcp = false;  ///< RTP on the RTSP connection
  ServerTraits traits;
};

class SatipSource final : public dvb::Source {
 public:
  explicit SatipSource(SatipOptions options);
  /// Ends the session; waits up to kFarewell for the answer, which some servers need.
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
  void converse(Time now);
  bool connect(Time now);
  bool send(Time now);
  void receive(Time now);
  void lose_connection(const std::string& reason, Time now);
  void receive_datagrams(Time now);
  void drain();
  void take_packet(bool is_control, wire::Bytes packet, Time now);

  SatipOptions options_;
  Session session_;
  RtspReader reader_;
  RtpReceiver receiver_;

  dvb::TuningOrder order_;
  std::optional<Address> server_;
  Socket connection_;
  bool connected_ = false;
  Time connecting_since_{};
  Time renewed_at_{};  ///< the connection, while the session went on
  std::string unsent_;
  UdpPair ports_;
  std::size_t kept_ = 0;  ///< bytes of data that the kernel keeps
  Batch batch_;

  bool was_playing_ = false;  ///< at the last read()
  bool has_played_ = false;   ///< this order, once at least
  bool tries_again_ = false;  ///< what has played
  Time next_read_{};
  Time now_{};  ///< of the frames that the reader takes apart
  std::vector<std::uint8_t> input_ = std::vector<std::uint8_t>(kInputSize);
};

}  // namespace receiverd::satip
