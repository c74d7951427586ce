#include "satip/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dvb/packet.h"

namespace receiverd::satip {

namespace {

constexpr std::chrono::seconds kShortestTimeout{10};
constexpr std::chrono::seconds kLongestTimeout{3600};
constexpr std::chrono::seconds kUsualTimeout{60};
/// Data that is younger means a signal.
constexpr std::chrono::milliseconds kFresh{800};
/// Places for PIDs that a server has at least.
constexpr std::size_t kFewestPids = 8;

constexpr unsigned kOk = 200;
constexpr unsigned kRefusal = 400;
constexpr unsigned kNoStream = 404;
constexpr unsigned kNoSession = 454;
/// 456 is what tvheadend says in place of it.
constexpr unsigned kNoTransport = 461;
constexpr unsigned kNotThatTransport = 456;

std::string listed(std::span<const std::uint16_t> pids) {
  std::string text;
  for (const std::uint16_t pid : pids) text += (text.empty() ? "" : ",") + std::to_string(pid);
  return text.empty() ? "none" : text;
}

}  // namespace

void Session::begin(const std::string& server, const std::string& query, const std::string& transport, Time now) {
  const bool goes_on = is_open() && error_.empty() && server == server_ && !traits_.tears_down;
  playing_ = false;
  report_.reset();
  error_.clear();
  delivered_.clear();
  delivers_all_ = false;
  query_ = query;
  if (goes_on) {
    // The answer to what is under way does not matter any more.
    play(now);
    return;
  }
  end(now);
  server_ = server;
  asked_transport_ = transport;
  refuses_transport_ = false;
  set_up(now);
}

void Session::end(Time now) {
  if (is_open()) send(Request::teardown, "TEARDOWN", "stream=" + stream_, {}, now);
  session_.clear();
  playing_ = false;
}

void Session::fail(const std::string& reason) {
  forget();
  error_ = server_ + ": " + reason;
}

void Session::forget() {
  session_.clear();
  playing_ = false;
  awaited_ = Request::none;
  output_.clear();
}

void Session::reconnected(Time now) {
  output_.clear();
  if (awaited_ == Request::none) {
    send(Request::options, "OPTIONS", {}, {}, now);
    return;
  }
  output_ = unanswered_;
  sent_at_ = now;
}

void Session::set_wanted_pids(std::span<const std::uint16_t> pids) { wanted_ = {pids.begin(), pids.end()}; }

void Session::send(Request request, const char* method, const std::string& path, const std::string& headers, Time now) {
  unanswered_ = std::string(method) + " rtsp://" + server_ + '/' + path +
                " RTSP/1.0\r\nCSeq: " + std::to_string(++sequence_) + "\r\n" + headers;
  if (is_open()) unanswered_ += "Session: " + session_ + "\r\n";
  unanswered_ += "\r\n";
  output_ += unanswered_;
  awaited_ = request;
  sent_at_ = now;
}

void Session::set_up(Time now) {
  std::string path = '?' + query_;
  if (!traits_.setup_pids.empty()) path += "&pids=" + traits_.setup_pids;
  send(Request::setup, "SETUP", path, "Transport: " + asked_transport_ + "\r\n", now);
  alive_at_ = now;
}

/// Begins to deliver, or goes on with another transponder.
void Session::play(Time now) {
  const bool all = wanted_.size() > traits_.most_pids && traits_.passes_all;
  const std::vector<std::uint16_t> pids = due_pids(now);
  const std::size_t fits = traits_.may_add ? kPidsInRequest : pids.size();
  const auto first = std::span(pids).first(std::min(pids.size(), fits));
  const std::string tuning = query_.empty() ? "" : query_ + '&';
  send(Request::tune, "PLAY", "stream=" + stream_ + '?' + tuning + "pids=" + (all ? "all" : listed(first)), {}, now);
  delivered_ = {first.begin(), first.end()};
  delivers_all_ = all;
  alive_at_ = now;
}

/// Those that the server is to deliver now: beyond what it can, tables and services have a place of their own, and the
/// rest, which changes seldom, takes turns.
std::vector<std::uint16_t> Session::due_pids(Time now) {
  std::vector<std::uint16_t> pids = wanted_;
  const std::size_t most = std::max<std::size_t>(traits_.most_pids, kFewestPids);
  if (pids.size() <= most) return pids;
  // A quarter for those that take turns.
  const std::size_t kept = most - most / 4;
  const std::size_t others = pids.size() - kept;
  if (now - turn_at_ >= kTurn) {
    turn_at_ = now;
    turn_ = (turn_ + most / 4) % others;
  }
  const auto rest = pids.begin() + static_cast<std::ptrdiff_t>(kept);
  std::rotate(rest, rest + static_cast<std::ptrdiff_t>(turn_ % others), pids.end());
  pids.resize(most);
  return pids;
}

void Session::change_pids(Time now) {
  if (wanted_.size() > traits_.most_pids && traits_.passes_all) {
    if (std::exchange(delivers_all_, true)) return;
    resumed_.push_back(dvb::kWholeMultiplex);
    send(Request::pids, "PLAY", "stream=" + stream_ + "?pids=all", {}, now);
    return;
  }
  // It goes on to deliver all, which costs less than to change it each time.
  if (delivers_all_) return;
  const std::vector<std::uint16_t> pids = due_pids(now);
  const std::set<std::uint16_t> due(pids.begin(), pids.end());
  if (due == delivered_) return;
  std::vector<std::uint16_t> added;
  std::ranges::copy_if(pids, std::back_inserter(added), [&](auto pid) { return !delivered_.contains(pid); });
  if (traits_.may_add && added.size() > kPidsInRequest) added.resize(kPidsInRequest);
  resumed_.insert(resumed_.end(), added.begin(), added.end());
  if (!traits_.may_add) {
    send(Request::pids, "PLAY", "stream=" + stream_ + "?pids=" + listed(pids), {}, now);
    delivered_ = due;
    return;
  }
  std::vector<std::uint16_t> removed;
  std::ranges::set_difference(delivered_, due, std::back_inserter(removed));
  if (removed.size() > kPidsInRequest) removed.resize(kPidsInRequest);
  std::string change;
  if (!added.empty()) change = "addpids=" + listed(added);
  if (!removed.empty()) change += (change.empty() ? "delpids=" : "&delpids=") + listed(removed);
  send(Request::pids, "PLAY", "stream=" + stream_ + '?' + change, {}, now);
  delivered_.insert(added.begin(), added.end());
  for (const std::uint16_t pid : removed) delivered_.erase(pid);
}

void Session::take(const Reply& reply, Time now) {
  if (awaited_ == Request::none || reply.code < kOk) return;
  if (reply.sequence != 0 && reply.sequence != sequence_) return;
  const Request request = std::exchange(awaited_, Request::none);
  if (reply.code >= kRefusal) return refused(request, reply, now);
  answered(request, reply, now);
}

void Session::answered(Request request, const Reply& reply, Time now) {
  switch (request) {
    case Request::setup:
      if (reply.session.empty() || reply.stream.empty()) return fail("its answer names no session and stream");
      session_ = reply.session;
      if (traits_.trims_session) session_.erase(0, std::min(session_.find_first_not_of('0'), session_.size() - 1));
      stream_ = reply.stream;
      timeout_ = reply.timeout == 0
                     ? kUsualTimeout
                     : std::clamp(std::chrono::seconds(reply.timeout), kShortestTimeout, kLongestTimeout);
      query_.clear();
      return play(now);
    case Request::tune:
      playing_ = true;
      reported_at_ = now;
      data_at_.reset();
      return;
    case Request::describe:
      if (const auto report = read_report(reply.body)) take(*report, now);
      return;
    default:
      return;
  }
}

void Session::refused(Request request, const Reply& reply, Time now) {
  const bool is_over = reply.code == kNoSession || (reply.code == kNoStream && request != Request::describe);
  if (request == Request::setup || request == Request::tune || is_over) {
    refuses_transport_ = reply.code == kNoTransport || reply.code == kNotThatTransport;
    // It may have a session all the same.
    if (!is_over) end(now);
    std::string farewell = std::move(output_);
    fail(text_of(reply));
    output_ = std::move(farewell);
    return;
  }
  // Some do not know one by one, and one session has not room for all.
  if (request == Request::pids && traits_.may_add) {
    traits_.may_add = false;
    delivered_.clear();
    delivers_all_ = false;
  } else if (request == Request::pids && traits_.most_pids > kPidsInRequest) {
    traits_.most_pids = kPidsInRequest;
    traits_.passes_all = false;
    delivers_all_ = false;
  }
}

void Session::take(const Report& report, Time now) {
  if (!playing_) return;
  report_ = report;
  reported_at_ = now;
}

void Session::tick(Time now) {
  if (awaits_reply()) {
    const bool tunes = awaited_ == Request::setup || awaited_ == Request::tune;
    if (now - sent_at_ >= (tunes ? kTuningPatience : kPatience)) fail("it does not answer");
    return;
  }
  if (!playing_) return;
  change_pids(now);
  if (awaits_reply()) return;
  if (now - alive_at_ >= timeout_ / 2) {
    alive_at_ = now;
    send(Request::options, "OPTIONS", {}, {}, now);
  } else if (now - reported_at_ >= kReportPatience) {
    reported_at_ = now;
    send(Request::describe, "DESCRIBE", "stream=" + stream_, "Accept: application/sdp\r\n", now);
  }
}

dvb::SignalQuality Session::signal(Time now) const {
  dvb::SignalQuality signal = report_ ? signal_of(*report_) : dvb::SignalQuality{};
  if (!playing_) return {};
  signal.locked = signal.locked || traits_.assumes_lock || (data_at_ && now - *data_at_ < kFresh);
  return signal;
}

}  // namespace receiverd::satip
