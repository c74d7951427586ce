// The RTSP session with a SAT>IP server for one front end (EN 50585 §3.5): decides what to request next, and interprets
// the replies.
//
//   begin() ─SETUP─► ─PLAY pids─► playing ─PLAY addpids, delpids; OPTIONS; DESCRIBE─► ... end() ─TEARDOWN─►
//
// There is one request at a time; changes made meanwhile go into the next request. Depends on its inputs only: it uses
// no socket and no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "satip/report.h"
#include "satip/rtsp.h"

namespace receiverd::satip {

/// Differences between servers; src/dvb/satip/quirks.ts knows them.
struct ServerTraits {
  /// PIDs that it delivers at a time.
  std::uint32_t max_pids = 32;
  /// `pids=all` delivers the whole multiplex.
  bool supports_all_pids = false;
  /// `addpids` and `delpids` work. If not, each request lists all PIDs.
  bool supports_add_pids = true;
  /// Another transponder needs a new session.
  bool needs_new_session = false;
  /// It does not report the lock, so a signal is assumed while playing.
  bool assumes_lock = false;
  /// Requests must have the session id without its leading zeros.
  bool trims_session = false;
  /// The `pids` parameter of SETUP, which some servers need; empty: no parameter.
  std::string setup_pids = "0";
};

class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Time until a reply must arrive; longer for requests that tune, because servers tune before they reply.
  static constexpr std::chrono::seconds kReplyTimeout{3};
  static constexpr std::chrono::seconds kTuningReplyTimeout{8};
  /// Without a report of the signal for so long, DESCRIBE requests one.
  static constexpr std::chrono::milliseconds kReportTimeout{1500};
  /// Some servers truncate longer lists of PIDs.
  static constexpr std::size_t kMaxPidsInRequest = 24;
  /// With more PIDs than ServerTraits::max_pids, the least important ones are delivered in rotation, for so long each.
  static constexpr std::chrono::seconds kRotationInterval{1};

  explicit Session(ServerTraits traits) : traits_(std::move(traits)) {}

  /// Tunes to the transponder of `query`, in the current session if the server supports that, else in a new session on
  /// the current connection. `server`: such as `192.0.2.9:554`; `transport`: value of the Transport header.
  void begin(const std::string& server, const std::string& query, const std::string& transport, Time now);
  /// Requests the end of the session, if there is one.
  void end(Time now);
  /// Ends the session without a request; error() is then the server and `reason`.
  void fail(const std::string& reason);
  /// Forgets the session without a request: the server is assumed to have forgotten it.
  void forget();
  /// There is a new connection: sends the unanswered request again, or OPTIONS if there is none.
  void reconnected(Time now);

  /// PIDs to deliver in this and every later session, in order of importance; initially PAT, NIT, SDT, EIT and TDT.
  void set_wanted_pids(std::span<const std::uint16_t> pids);
  /// See Source::take_resumed_pids().
  std::vector<std::uint16_t> take_resumed_pids() { return std::exchange(resumed_, {}); }
  void take(const Reply& reply, Time now);
  void take(const Report& report, Time now);
  /// Records that data has arrived.
  void data(Time now) { data_at_ = now; }
  /// Sends the requests that are due.
  void tick(Time now);

  /// Bytes to send; the caller removes what it has sent.
  std::string& output() { return output_; }
  /// Whether PLAY has been answered: data that arrives is of the transponder of the last begin().
  bool playing() const { return playing_; }
  bool awaits_reply() const { return awaited_request_ != Request::none; }
  bool is_open() const { return !session_.empty(); }
  /// The signal by the server's reports; data that arrives counts as a lock.
  dvb::SignalQuality signal(Time now) const;
  /// Human-readable reason why there is no session; empty if there was no error.
  const std::string& error() const { return error_; }
  /// Whether the server has refused the requested transport.
  bool transport_refused() const { return transport_refused_; }

 private:
  enum class Request : std::uint8_t { none, setup, tune, pids, describe, options, teardown };

  void send(Request request, const char* method, const std::string& path, const std::string& headers, Time now);
  void set_up(Time now);
  void play(Time now);
  void change_pids(Time now);
  std::vector<std::uint16_t> due_pids(Time now);
  void handle_success(Request request, const Reply& reply, Time now);
  void handle_refusal(Request request, const Reply& reply, Time now);

  ServerTraits traits_;
  std::vector<std::uint16_t> resumed_;
  std::string server_;
  std::string query_;
  std::string transport_;
  std::string session_;
  std::string stream_;
  std::string error_;
  bool transport_refused_ = false;
  bool playing_ = false;
  std::chrono::seconds timeout_{60};

  unsigned sequence_ = 0;
  Request awaited_request_ = Request::none;
  std::string last_request_;
  Time sent_at_{};
  Time kept_alive_at_{};
  std::string output_;

  std::vector<std::uint16_t> wanted_ = {0, 16, 17, 18, 20};
  std::set<std::uint16_t> delivered_;
  bool delivers_all_ = false;
  std::size_t rotation_ = 0;
  Time rotated_at_{};

  std::optional<Report> report_;
  Time reported_at_{};
  std::optional<Time> data_at_;
};

}  // namespace receiverd::satip
