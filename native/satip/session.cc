#include "satip/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dvb/packets/packet.h"

namespace receiverd::satip {

namespace {

constexpr std::chrono::seconds kMinSessionTimeout{10};
constexpr std::chrono::seconds kMaxSessionTimeout{3600};
constexpr std::chrono::seconds kDefaultSessionTimeout{60};
/// Data counts as a lock for so long after it has arrived.
constexpr std::chrono::milliseconds kMaxDataAge{800};
/// PIDs that every server is assumed to deliver at a time.
constexpr std::size_t kMinPids = 8;

constexpr unsigned kOk = 200;
constexpr unsigned kRefusal = 400;
constexpr unsigned kNoStream = 404;
constexpr unsigned kNoSession = 454;
/// tvheadend sends 456 instead of 461.
constexpr unsigned kUnsupportedTransport = 461;
constexpr unsigned kUnsupportedTransportTvheadend = 456;

std::string pid_list(std::span<const std::uint16_t> pids) {
  std::string text;
  for (const std::uint16_t pid : pids) text += (text.empty() ? "" : ",") + std::to_string(pid);
  return text.empty() ? "none" : text;
}

}  // namespace

Session::Session(ServerTraits traits, bool tcp)
    : traits_(std::move(traits)),
      tcp_(tcp),
      // Even channels carry RTP, odd ones RTCP.
      reader_([this](const Reply& reply) { take(reply, fed_at_); },
              [this](unsigned channel, wire::Bytes frame) {
                if (channel % 2 != 0) return take_report(frame, fed_at_);
                if (playing_) receiver_.packet(frame, fed_at_);
              }) {}

bool Session::feed(wire::Bytes bytes, Time now) {
  fed_at_ = now;
  reader_.feed(bytes);
  return true;
}

void Session::begin(const std::string& server, const std::string& query, std::uint16_t port, Time now) {
  const bool keeps_session = is_open() && error_.empty() && server == server_ && !traits_.needs_new_session;
  playing_ = false;
  report_.reset();
  error_.clear();
  delivered_.clear();
  delivers_all_ = false;
  query_ = query;
  if (keeps_session) {
    // The reply to a request under way is ignored, since PLAY replaces it.
    play(now);
    return;
  }
  end(now);
  server_ = server;
  set_up(port, now);
}

void Session::end(Time now) {
  if (is_open()) send(Request::teardown, "TEARDOWN", "stream=" + stream_, {}, now);
  session_.clear();
  playing_ = false;
}

void Session::forget() {
  session_.clear();
  playing_ = false;
  awaited_request_ = Request::none;
  output_.clear();
}

void Session::reconnected(Time now) {
  output_.clear();
  if (awaited_request_ == Request::none) {
    send(Request::options, "OPTIONS", {}, {}, now);
    return;
  }
  output_ = last_request_;
  sent_at_ = now;
}

void Session::send(Request request, const char* method, const std::string& path, const std::string& headers, Time now) {
  last_request_ = std::string(method) + " rtsp://" + server_ + '/' + path +
                  " RTSP/1.0\r\nCSeq: " + std::to_string(++sequence_) + "\r\n" + headers;
  if (is_open()) last_request_ += "Session: " + session_ + "\r\n";
  last_request_ += "\r\n";
  output_ += last_request_;
  awaited_request_ = request;
  sent_at_ = now;
}

void Session::set_up(std::uint16_t port, Time now) {
  const std::string transport = tcp_ ? "/TCP;unicast;interleaved=0-1"
                                     : ";unicast;client_port=" + std::to_string(port) + '-' + std::to_string(port + 1);
  std::string path = '?' + query_;
  if (!traits_.setup_pids.empty()) path += "&pids=" + traits_.setup_pids;
  send(Request::setup, "SETUP", path, "Transport: RTP/AVP" + transport + "\r\n", now);
  kept_alive_at_ = now;
}

/// Requests delivery, of another transponder if query_ is set.
void Session::play(Time now) {
  const bool all = wanted_.size() > traits_.max_pids && traits_.supports_all_pids;
  const std::vector<std::uint16_t> pids = due_pids(now);
  const std::size_t max_first = traits_.supports_add_pids ? kMaxPidsInRequest : pids.size();
  const auto first = std::span(pids).first(std::min(pids.size(), max_first));
  const std::string tuning = query_.empty() ? "" : query_ + '&';
  send(Request::tune, "PLAY", "stream=" + stream_ + '?' + tuning + "pids=" + (all ? "all" : pid_list(first)), {}, now);
  delivered_ = {first.begin(), first.end()};
  delivers_all_ = all;
  kept_alive_at_ = now;
}

/// The PIDs that the server should deliver now. With more PIDs than it can deliver, the most important three quarters
/// of its places are fixed, and the remaining PIDs, whose contents change seldom, are delivered in rotation.
std::vector<std::uint16_t> Session::due_pids(Time now) {
  std::vector<std::uint16_t> pids = wanted_;
  const std::size_t max_pids = std::max<std::size_t>(traits_.max_pids, kMinPids);
  if (pids.size() <= max_pids) return pids;
  // A quarter of the places is for the rotation.
  const std::size_t kept = max_pids - max_pids / 4;
  const std::size_t others = pids.size() - kept;
  if (now - rotated_at_ >= kRotationInterval) {
    rotated_at_ = now;
    rotation_ = (rotation_ + max_pids / 4) % others;
  }
  const auto rest = pids.begin() + static_cast<std::ptrdiff_t>(kept);
  std::rotate(rest, rest + static_cast<std::ptrdiff_t>(rotation_ % others), pids.end());
  pids.resize(max_pids);
  return pids;
}

void Session::change_pids(Time now) {
  if (wanted_.size() > traits_.max_pids && traits_.supports_all_pids) {
    if (std::exchange(delivers_all_, true)) return;
    resumed_.push_back(dvb::kWholeMultiplex);
    send(Request::pids, "PLAY", "stream=" + stream_ + "?pids=all", {}, now);
    return;
  }
  // It continues to deliver all PIDs, which costs less than to change the list each time.
  if (delivers_all_) return;
  const std::vector<std::uint16_t> pids = due_pids(now);
  const std::set<std::uint16_t> due(pids.begin(), pids.end());
  if (due == delivered_) return;
  std::vector<std::uint16_t> added;
  std::ranges::copy_if(pids, std::back_inserter(added), [&](auto pid) { return !delivered_.contains(pid); });
  if (traits_.supports_add_pids && added.size() > kMaxPidsInRequest) added.resize(kMaxPidsInRequest);
  resumed_.insert(resumed_.end(), added.begin(), added.end());
  if (!traits_.supports_add_pids) {
    send(Request::pids, "PLAY", "stream=" + stream_ + "?pids=" + pid_list(pids), {}, now);
    delivered_ = due;
    return;
  }
  std::vector<std::uint16_t> removed;
  std::ranges::set_difference(delivered_, due, std::back_inserter(removed));
  if (removed.size() > kMaxPidsInRequest) removed.resize(kMaxPidsInRequest);
  std::string change;
  if (!added.empty()) change = "addpids=" + pid_list(added);
  if (!removed.empty()) change += (change.empty() ? "delpids=" : "&delpids=") + pid_list(removed);
  send(Request::pids, "PLAY", "stream=" + stream_ + '?' + change, {}, now);
  delivered_.insert(added.begin(), added.end());
  for (const std::uint16_t pid : removed) delivered_.erase(pid);
}

void Session::take(const Reply& reply, Time now) {
  if (awaited_request_ == Request::none || reply.code < kOk) return;
  if (reply.sequence != 0 && reply.sequence != sequence_) return;
  const Request request = std::exchange(awaited_request_, Request::none);
  if (reply.code >= kRefusal) return handle_refusal(request, reply, now);
  handle_success(request, reply, now);
}

void Session::handle_success(Request request, const Reply& reply, Time now) {
  switch (request) {
    case Request::setup:
      if (reply.session.empty() || reply.stream.empty()) return fail("the reply to SETUP has no session or stream id");
      session_ = reply.session;
      if (traits_.trims_session) session_.erase(0, std::min(session_.find_first_not_of('0'), session_.size() - 1));
      stream_ = reply.stream;
      timeout_ = reply.timeout == 0
                     ? kDefaultSessionTimeout
                     : std::clamp(std::chrono::seconds(reply.timeout), kMinSessionTimeout, kMaxSessionTimeout);
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

void Session::handle_refusal(Request request, const Reply& reply, Time now) {
  const bool is_over = reply.code == kNoSession || (reply.code == kNoStream && request != Request::describe);
  if (request == Request::setup || request == Request::tune || is_over) {
    if (reply.code == kUnsupportedTransport || reply.code == kUnsupportedTransportTvheadend) tcp_ = !tcp_;
    // The server may have a session nevertheless.
    if (!is_over) end(now);
    std::string teardown = std::move(output_);
    fail(text_of(reply));
    output_ = std::move(teardown);
    return;
  }
  // Some servers do not support `addpids`, others not that many PIDs in one session.
  if (request == Request::pids && traits_.supports_add_pids) {
    traits_.supports_add_pids = false;
    delivered_.clear();
    delivers_all_ = false;
  } else if (request == Request::pids && traits_.max_pids > kMaxPidsInRequest) {
    traits_.max_pids = kMaxPidsInRequest;
    traits_.supports_all_pids = false;
    delivers_all_ = false;
  }
}

void Session::take_report(wire::Bytes packet, Time now) {
  if (const auto report = read_rtcp(packet)) take(*report, now);
}

void Session::take(const Report& report, Time now) {
  if (!playing_) return;
  report_ = report;
  reported_at_ = now;
}

void Session::tick(Time now) {
  if (awaits_reply()) {
    const bool tunes = awaited_request_ == Request::setup || awaited_request_ == Request::tune;
    if (now - sent_at_ >= (tunes ? kTuningReplyTimeout : kReplyTimeout)) fail("it does not answer");
    return;
  }
  if (!playing_) return;
  change_pids(now);
  if (awaits_reply()) return;
  if (now - kept_alive_at_ >= timeout_ / 2) {
    kept_alive_at_ = now;
    send(Request::options, "OPTIONS", {}, {}, now);
  } else if (now - reported_at_ >= kReportTimeout) {
    reported_at_ = now;
    send(Request::describe, "DESCRIBE", "stream=" + stream_, "Accept: application/sdp\r\n", now);
  }
}

dvb::SignalQuality Session::signal(Time now) const {
  dvb::SignalQuality signal = report_ ? signal_of(*report_) : dvb::SignalQuality{};
  if (!playing_) return {};
  signal.locked = signal.locked || traits_.assumes_lock || (data_at_ && now - *data_at_ < kMaxDataAge);
  return signal;
}

}  // namespace receiverd::satip
