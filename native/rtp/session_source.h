// A tuner source that receives with a front end of a server or device in the network.
//
//   TCP connection ─replies─► ClientSession ─requests─► connection
//        └ interleaved frames ┐
//   RTP, RTCP (UDP) ──────────┴─► RtpReceiver ─► read()
//
// All sockets are non-blocking and belong to the tuner's thread, which waits for all of them at once and wakes up at
// least fifty times a second. Datagrams from other addresses than the server's are dropped.
//
// If a session ends, a new one is set up, and reading continues. If that fails too, the source has failed like a device
// that has been unplugged, so that its users switch to another tuner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dvb/source.h"
#include "rtp/client_session.h"
#include "rtp/sockets.h"

namespace receiverd::rtp {

class SessionSource final : public dvb::Source {
 public:
  explicit SessionSource(std::unique_ptr<ClientSession> session) : session_(std::move(session)) {}
  /// Ends the session. Waits up to kEndTimeout for the replies, since some servers need the connection until then.
  ~SessionSource() override;

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt) override;
  unsigned variants() const override { return static_cast<unsigned>(order_.queries.size()); }
  bool tuned() const override { return session_->playing(); }
  std::string tuning_error() const override { return session_->error(); }
  void set_wanted_pids(std::span<const std::uint16_t> pids) override { session_->set_wanted_pids(pids); }
  std::vector<std::uint16_t> take_resumed_pids() override { return session_->take_resumed_pids(); }
  dvb::ReadResult read(std::span<std::uint8_t> buffer) override;
  dvb::NetworkCounters network() const override { return session_->receiver().counters(); }
  dvb::SignalQuality signal() const override { return session_->signal(now_); }
  std::string error() const override { return session_->error(); }

 private:
  using Time = ClientSession::Time;

  bool has_data() const { return !session_->receiver().output().empty(); }
  void wait();
  void exchange_messages(Time now);
  bool send(Time now);
  void receive(Time now);
  void close_connection();
  void lose_connection(const std::string& reason, Time now);
  void receive_datagrams(Time now);
  void drop_stale_datagrams();

  const std::unique_ptr<ClientSession> session_;
  dvb::TuningOrder order_;
  std::optional<Address> server_;
  Socket connection_;
  bool connected_ = false;
  Time connecting_since_{};
  Time reconnected_at_{};  ///< last time the connection was replaced during a session
  std::string unsent_;
  UdpPair ports_;
  std::size_t kernel_buffer_bytes_ = 0;  ///< size of the kernel's receive buffer
  Batch batch_;
  std::vector<std::uint8_t> input_;

  bool was_playing_ = false;  ///< at the last read()
  bool has_played_ = false;   ///< with this order, at least once
  bool retrying_ = false;     ///< tuning again with an order that has played
  Time next_read_{};
  Time now_{};
};

}  // namespace receiverd::rtp
