// The conversation with a SAT>IP server about one front end (EN 50585 §3.5): what to request next, and what replies
// mean.
//
//   begin() ─SETUP─► ─PLAY pids─► playing ─PLAY addpids, delpids; OPTIONS; DESCRIBE─► ... end() ─TEARDOWN─►
//
// One request at a time; what has changed meanwhile goes into the next one. A function of its inputs: no socket, no
// clock.
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

/// In what servers differ: src/dvb/satip/quirks.ts.
struct ServerTraits {
  std::uint32_t most_pids = 32;
  /// `pids=all` delivers all.
  bool passes_all = false;
  /// `addpids` and `delpids` work; else each request has all PIDs.
  bool may_add = true;
  /// Each transponder needs a session of its own.
  bool tears_down = false;
  /// It does not report the lock.
  bool assumes_lock = false;
  /// It wants to hear a session's name without the zeros before it.
  bool trims_session = false;
  /// With which SETUP begins; some servers want some. Empty: none.
  std::string setup_pids = "0";
};

class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// For a reply; servers tune before they answer.
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::chrono::seconds kTuningPatience{8};
  /// Without a report of the signal, after which it is asked for.
  static constexpr std::chrono::milliseconds kReportPatience{1500};
  /// PIDs in a request: longer ones are cut off by some servers.
  static constexpr std::size_t kPidsInRequest = 24;
  /// How long PIDs beyond ServerTraits::most_pids wait for their turn.
  static constexpr std::chrono::seconds kTurn{1};

  explicit Session(ServerTraits traits) : traits_(std::move(traits)) {}

  /// Tunes to what `query` says, in the session that there is if the server can do that, else in a new one on the
  /// connection at hand. `server`: `192.0.2.9:554`; `transport`: the value of the header.
  void begin(const std::string& server, const std::string& query, const std::string& transport, Time now);
  /// Requests the end of the session, if there is one.
  void end(Time now);
  /// The session is over, and `reason` is its trouble.
  void fail(const std::string& reason);
  /// The server is taken to know nothing of a session any more.
  void forget();
  /// The next request goes over a new connection; an unanswered one is sent again.
  void reconnected(Time now);

  /// PIDs to deliver in this and every later session, the most important first; at first PAT, NIT, SDT, EIT and TDT.
  void set_wanted_pids(std::span<const std::uint16_t> pids);
  /// As of a Source.
  std::vector<std::uint16_t> take_resumed_pids() { return std::exchange(resumed_, {}); }
  void take(const Reply& reply, Time now);
  void take(const Report& report, Time now);
  /// Data has arrived.
  void data(Time now) { data_at_ = now; }
  /// Requests what is due.
  void tick(Time now);

  /// What to send; the caller takes it away.
  std::string& output() { return output_; }
  /// A PLAY was answered: data is of the transponder that was wanted last.
  bool playing() const { return playing_; }
  bool awaits_reply() const { return awaited_ != Request::none; }
  bool is_open() const { return !session_.empty(); }
  /// By its reports, or because data arrives.
  dvb::SignalQuality signal(Time now) const;
  /// Why there is no session, for people; empty if nothing is wrong.
  const std::string& error() const { return error_; }
  /// The server does not know the transport that was asked for.
  bool refuses_transport() const { return refuses_transport_; }

 private:
  enum class Request : std::uint8_t { none, setup, tune, pids, describe, options, teardown };

  void send(Request request, const char* method, const std::string& path, const std::string& headers, Time now);
  void set_up(Time now);
  void play(Time now);
  void change_pids(Time now);
  std::vector<std::uint16_t> due_pids(Time now);
  void answered(Request request, const Reply& reply, Time now);
  void refused(Request request, const Reply& reply, Time now);

  ServerTraits traits_;
  std::vector<std::uint16_t> resumed_;
  std::string server_;
  std::string query_;
  std::string asked_transport_;
  std::string session_;
  std::string stream_;
  std::string error_;
  bool refuses_transport_ = false;
  bool playing_ = false;
  std::chrono::seconds timeout_{60};

  unsigned sequence_ = 0;
  Request awaited_ = Request::none;
  std::string unanswered_;
  Time sent_at_{};
  Time alive_at_{};
  std::string output_;

  std::vector<std::uint16_t> wanted_ = {0, 16, 17, 18, 20};
  std::set<std::uint16_t> delivered_;
  bool delivers_all_ = false;
  std::size_t turn_ = 0;
  Time turn_at_{};

  std::optional<Report> report_;
  Time reported_at_{};
  std::optional<Time> data_at_;
};

}  // namespace receiverd::satip
