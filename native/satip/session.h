// The RTSP session with a SAT>IP server for one front end (EN 50585 §3.5): decides what to request next, and interprets
// the replies.
//
//   begin() ─SETUP─► ─PLAY pids─► playing ─PLAY addpids, delpids; OPTIONS; DESCRIBE─► ... end() ─TEARDOWN─►
//
// There is one request at a time; changes made meanwhile go into the next request.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rtp/client_session.h"
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

class Session final : public rtp::ClientSession {
 public:
  /// Time until a reply must arrive; longer for requests that tune, because servers tune before they reply.
  static constexpr std::chrono::seconds kReplyTimeout{3};
  static constexpr std::chrono::seconds kTuningReplyTimeout{8};
  /// Without a report of the signal for so long, DESCRIBE requests one.
  static constexpr std::chrono::milliseconds kReportTimeout{1500};
  /// Some servers truncate longer lists of PIDs.
  static constexpr std::size_t kMaxPidsInRequest = 24;
  /// With more PIDs than ServerTraits::max_pids, the least important ones are delivered in rotation, for so long each.
  static constexpr std::chrono::seconds kRotationInterval{1};

  /// `tcp`: the server delivers on the connection. If it refuses that, or UDP, the next session requests the other.
  explicit Session(ServerTraits traits, bool tcp = false);

  /// Tunes in the current session if the server supports that, else in a new session on the current connection.
  void begin(const std::string& server, const std::string& query, std::uint16_t port, Time now) override;
  void end(Time now) override;
  void forget() override;
  void reconnected(Time now) override;
  void tick(Time now) override;
  bool feed(wire::Bytes bytes, Time now) override;
  void reset_input() override { reader_.reset(); }
  void take_report(wire::Bytes packet, Time now) override;
  void take(const Reply& reply, Time now);
  void take(const Report& report, Time now);

  bool is_open() const override { return !session_.empty(); }
  bool awaits_reply() const override { return awaited_request_ != Request::none; }
  bool uses_udp() const override { return !tcp_; }
  dvb::SignalQuality signal(Time now) const override;

 private:
  enum class Request : std::uint8_t { none, setup, tune, pids, describe, options, teardown };

  void send(Request request, const char* method, const std::string& path, const std::string& headers, Time now);
  void set_up(std::uint16_t port, Time now);
  void play(Time now);
  void change_pids(Time now);
  std::vector<std::uint16_t> due_pids(Time now);
  void handle_success(Request request, const Reply& reply, Time now);
  void handle_refusal(Request request, const Reply& reply, Time now);

  ServerTraits traits_;
  bool tcp_;
  RtspReader reader_;
  Time fed_at_{};  ///< time of the data that reader_ is parsing
  std::string query_;
  std::string session_;
  std::string stream_;
  std::chrono::seconds timeout_{60};

  unsigned sequence_ = 0;
  Request awaited_request_ = Request::none;
  Time kept_alive_at_{};

  std::set<std::uint16_t> delivered_;
  bool delivers_all_ = false;
  std::size_t rotation_ = 0;
  Time rotated_at_{};

  std::optional<Report> report_;
  Time reported_at_{};
};

}  // namespace receiverd::satip
