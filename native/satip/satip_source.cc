#include "satip/satip_source.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace receiverd::satip {

namespace {

using Clock = std::chrono::steady_clock;

/// Time in which data accumulates for one read: the tuner wakes up fifty times a second, not for each datagram.
constexpr std::chrono::milliseconds kGatherTime{20};
/// Shorter time for the kernel's default receive buffer, which is half full after it at 60 Mbit/s.
constexpr std::chrono::milliseconds kShortGatherTime{8};
constexpr std::size_t kLargeBufferBytes = std::size_t{1} << 20;
constexpr std::chrono::seconds kConnectTimeout{3};
/// Between two connections for one session: some servers close the connection after each reply.
constexpr std::chrono::seconds kMinReconnectInterval{5};
constexpr std::chrono::milliseconds kTeardownTimeout{400};
/// Batches of datagrams in one read(), so that the tuner can do its other work.
constexpr unsigned kMaxDataBatchesPerRead = 8;

}  // namespace

SatipSource::SatipSource(SatipOptions options)
    : options_(std::move(options)),
      session_(options_.traits),
      reader_([this](const Reply& reply) { session_.take(reply, now_); },
              [this](unsigned channel, wire::Bytes frame) { take_packet(channel % 2 != 0, frame, now_); }) {}

SatipSource::~SatipSource() {
  if (!session_.is_open()) return;
  const Time end = Clock::now() + kTeardownTimeout;
  session_.end(Clock::now());
  while (session_.awaits_reply() && session_.error().empty() && Clock::now() < end) {
    exchange_messages(Clock::now());
    if (session_.awaits_reply()) wait(kGatherTime);
  }
}

void SatipSource::tune(const dvb::TuningOrder& order, dvb::Attempt attempt) {
  if (order != order_) has_played_ = false;
  retrying_ = has_played_;
  // After an error, the connection is not used again.
  if (order.server != order_.server || attempt.all_steps || !session_.error().empty()) {
    connection_.close();
    connected_ = false;
    unsent_.clear();
    reader_.reset();
    session_.forget();
  }
  if (session_.transport_refused()) options_.tcp = !options_.tcp;
  order_ = order;
  was_playing_ = false;
  receiver_.clear();
  server_ = rtp::read_address(order.server);
  if (!server_) return session_.fail("'" + order.server + "' is not an address");
  if (!options_.tcp && !ports_.is_open()) open_ports();
  if (!options_.tcp && !ports_.is_open()) return session_.fail("no two consecutive UDP ports are free");
  if (attempt.variant >= order.queries.size()) return session_.fail("there is no query for this transponder");
  session_.begin(order.server, order.queries[attempt.variant], transport(), Clock::now());
}

void SatipSource::open_ports() {
  const bool is_ipv6 = server_->bytes.ss_family == AF_INET6;
  ports_ = rtp::open_udp_pair(*rtp::address_of(is_ipv6 ? "::" : "0.0.0.0", 0));
  if (ports_.is_open()) kernel_buffer_bytes_ = rtp::enlarge_receive_buffer(ports_.data);
}

std::string SatipSource::transport() const {
  if (options_.tcp) return "RTP/AVP/TCP;unicast;interleaved=0-1";
  return "RTP/AVP;unicast;client_port=" + std::to_string(ports_.port) + '-' + std::to_string(ports_.port + 1);
}

dvb::SignalQuality SatipSource::signal() const { return session_.signal(now_); }

dvb::ReadResult SatipSource::read(std::span<std::uint8_t> buffer) {
  using State = dvb::ReadResult::State;
  if (receiver_.output().empty()) {
    // While a reply is expected, it is read at once.
    if (session_.playing() && !session_.awaits_reply()) std::this_thread::sleep_until(next_read_);
    wait(kGatherTime);
  }
  now_ = Clock::now();
  const bool is_small = !options_.tcp && kernel_buffer_bytes_ < kLargeBufferBytes;
  if (receiver_.output().empty()) next_read_ = now_ + (is_small ? kShortGatherTime : kGatherTime);
  exchange_messages(now_);
  session_.tick(now_);
  if (session_.playing() && !was_playing_ && !options_.tcp) drop_stale_datagrams();
  was_playing_ = session_.playing();
  if (was_playing_) has_played_ = true;
  receive_datagrams(now_);
  receiver_.tick(now_);
  if (was_playing_) retrying_ = false;
  if (retrying_ && !session_.error().empty()) return {State::failed, 0};
  const std::size_t size = receiver_.take(buffer);
  if (size > 0) session_.data(now_);
  return size > 0 ? dvb::ReadResult{State::data, size} : dvb::ReadResult{};
}

/// Waits until data arrives or can be sent, at most `time`.
void SatipSource::wait(std::chrono::milliseconds time) {
  const bool sends = connection_.is_open() && (!connected_ || !unsent_.empty());
  // poll() ignores the negative descriptors of closed sockets.
  std::array<pollfd, 3> waited = {{{connection_.number(), static_cast<short>(sends ? POLLOUT | POLLIN : POLLIN), 0},
                                   {ports_.data.number(), POLLIN, 0},
                                   {ports_.control.number(), POLLIN, 0}}};
  poll(waited.data(), waited.size(), static_cast<int>(time.count()));
}

/// Sends the session's requests, and reads the server's replies.
void SatipSource::exchange_messages(Time now) {
  unsent_ += session_.output();
  session_.output().clear();
  if (!connection_.is_open() && (unsent_.empty() || !connect(now))) return;
  if (send(now)) receive(now);
}

bool SatipSource::connect(Time now) {
  int error = 0;
  connection_ = rtp::begin_connecting(*server_, error);
  connecting_since_ = now;
  connected_ = false;
  if (!connection_.is_open()) session_.fail(std::strerror(error));
  return connection_.is_open();
}

/// Sends unsent requests. Returns false while there is no connection.
bool SatipSource::send(Time now) {
  if (!connected_ && unsent_.empty()) return false;
  const ssize_t sent = ::send(connection_.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  const int error = errno;
  if (sent >= 0) {
    connected_ = true;
    unsent_.erase(0, static_cast<std::size_t>(sent));
  } else if (error != EAGAIN && error != EINTR && (connected_ || error != ENOTCONN)) {
    lose_connection(std::strerror(error), now);
  } else if (!connected_ && now - connecting_since_ >= kConnectTimeout) {
    lose_connection("the server does not answer", now);
  }
  return connected_;
}

void SatipSource::receive(Time now) {
  // While there is data to take, more can wait in the kernel.
  if (!receiver_.output().empty()) return;
  const ssize_t size = recv(connection_.number(), input_.data(), input_.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return lose_connection(size == 0 ? "the server has closed the connection" : std::strerror(errno), now);
  reader_.feed({input_.data(), static_cast<std::size_t>(size)});
  // There may be more to read at once, unless the bytes contained no data.
  if (static_cast<std::size_t>(size) == input_.size() && !receiver_.output().empty()) next_read_ = now;
}

/// A session that delivers by UDP outlives its connection.
void SatipSource::lose_connection(const std::string& reason, Time now) {
  const bool was_connected = std::exchange(connected_, false);
  connection_.close();
  unsent_.clear();
  reader_.reset();
  if (options_.tcp || !session_.is_open() || !was_connected) return session_.fail(reason);
  if (now - reconnected_at_ < kMinReconnectInterval && !session_.awaits_reply()) return;
  if (now - reconnected_at_ < kMinReconnectInterval) return session_.fail(reason);
  reconnected_at_ = now;
  session_.reconnected(now);
}

void SatipSource::receive_datagrams(Time now) {
  if (options_.tcp || !ports_.is_open() || !receiver_.output().empty()) return;
  batch_.receive(ports_.control, &*server_, [&](wire::Bytes packet) { take_packet(true, packet, now); });
  for (unsigned i = 0; i < kMaxDataBatchesPerRead; ++i) {
    const std::size_t count =
        batch_.receive(ports_.data, &*server_, [&](wire::Bytes packet) { take_packet(false, packet, now); });
    if (count < rtp::Batch::kMaxDatagrams) return;
  }
  if (!receiver_.output().empty()) next_read_ = now;
}

/// Drops datagrams that have arrived by now: they are of the previous transponder.
void SatipSource::drop_stale_datagrams() {
  // Bounded by the size of the kernel's buffer.
  for (std::size_t dropped = 0; dropped < kernel_buffer_bytes_;
       dropped += rtp::Batch::kMaxDatagrams * rtp::Batch::kMaxDatagramBytes) {
    if (batch_.receive(ports_.data, &*server_, [](wire::Bytes) {}) == 0) return;
  }
}

void SatipSource::take_packet(bool is_control, wire::Bytes packet, Time now) {
  if (!session_.playing()) return;
  if (!is_control) return receiver_.packet(packet, now);
  if (const auto report = read_rtcp(packet)) session_.take(*report, now);
}

}  // namespace receiverd::satip
