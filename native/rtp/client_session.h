// A session with a server or device that receives for us: decides what to request next, and interprets the replies.
// SessionSource gives it its connection and packets. It depends on its inputs only: it uses no socket and no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dvb/source.h"
#include "rtp/rtp_receiver.h"
#include "wire/bytes.h"

namespace receiverd::rtp {

class ClientSession {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~ClientSession() = default;

  /// Tunes to `query`. `server`: such as `192.0.2.9:554`; `port`: our UDP port for data, the next one is for reports.
  virtual void begin(const std::string& server, const std::string& query, std::uint16_t port, Time now) = 0;
  /// Requests the end of the session, if there is one.
  virtual void end(Time now) = 0;
  /// Ends the session without a request: the server is assumed to have forgotten it.
  virtual void forget() = 0;
  /// Like forget(); error() is then the server and `reason`.
  void fail(const std::string& reason) {
    forget();
    error_ = server_ + ": " + reason;
  }
  /// There is a new connection: sends the unanswered request again, or another one if there is none.
  virtual void reconnected(Time now) = 0;
  /// Our address on the connection.
  virtual void set_local_host(const std::string& /*host*/) {}
  /// Sends the requests that are due.
  virtual void tick(Time now) = 0;

  /// Takes bytes of the connection. Returns false if they are invalid; then the connection is of no use any more.
  virtual bool feed(wire::Bytes bytes, Time now) = 0;
  /// A new connection begins: drops the start of an incomplete reply.
  virtual void reset_input() = 0;
  /// Takes a report that has arrived beside the data.
  virtual void take_report(wire::Bytes /*packet*/, Time /*now*/) {}
  /// Records that data has arrived.
  void data(Time now) { data_at_ = now; }

  /// PIDs to deliver in this and every later session, in order of importance; initially PAT, NIT, SDT, EIT and TDT.
  void set_wanted_pids(std::span<const std::uint16_t> pids) { wanted_.assign(pids.begin(), pids.end()); }
  /// See Source::take_resumed_pids().
  std::vector<std::uint16_t> take_resumed_pids() { return std::exchange(resumed_, {}); }

  /// Bytes to send; the caller removes what it has sent.
  std::string& output() { return output_; }
  /// Packets that have arrived.
  RtpReceiver& receiver() { return receiver_; }
  const RtpReceiver& receiver() const { return receiver_; }
  virtual bool is_open() const = 0;
  virtual bool awaits_reply() const = 0;
  /// Whether data comes by UDP, not on the connection.
  virtual bool uses_udp() const { return true; }
  /// Whether data that arrives is of the transponder of the last begin().
  bool playing() const { return playing_; }
  /// The signal by the server's reports; data that arrives counts as a lock.
  virtual dvb::SignalQuality signal(Time now) const = 0;
  /// Human-readable reason why there is no session; empty if there was no error.
  const std::string& error() const { return error_; }

 protected:
  std::string server_;
  std::string error_;
  bool playing_ = false;
  std::string output_;
  std::string last_request_;
  Time sent_at_{};
  std::vector<std::uint16_t> wanted_ = {0, 16, 17, 18, 20};
  std::vector<std::uint16_t> resumed_;
  std::optional<Time> data_at_;
  RtpReceiver receiver_;
};

}  // namespace receiverd::rtp
