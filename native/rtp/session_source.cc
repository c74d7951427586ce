#include "rtp/session_source.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace receiverd::rtp {

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
constexpr std::chrono::milliseconds kEndTimeout{400};
/// Batches of datagrams in one read(), so that the tuner can do its other work.
constexpr unsigned kMaxDataBatchesPerRead = 8;
/// Bytes of the connection in one read(), if it carries replies only, or data too.
constexpr std::size_t kReplyBytes = std::size_t{8} << 10;
constexpr std::size_t kDataBytes = std::size_t{128} << 10;

}  // namespace

SessionSource::~SessionSource() {
  if (!session_->is_open()) return;
  const Time end = Clock::now() + kEndTimeout;
  session_->end(Clock::now());
  while (session_->awaits_reply() && Clock::now() < end) {
    exchange_messages(Clock::now());
    if (session_->awaits_reply()) wait();
  }
}

void SessionSource::tune(const dvb::TuningOrder& order, dvb::Attempt attempt) {
  if (order != order_) has_played_ = false;
  retrying_ = has_played_;
  // After an error, the connection is not used again.
  if (order.server != order_.server || attempt.all_steps || !session_->error().empty()) {
    close_connection();
    session_->forget();
  }
  order_ = order;
  was_playing_ = false;
  session_->receiver().clear();
  server_ = read_address(order.server);
  if (!server_) return session_->fail("'" + order.server + "' is not an address");
  if (session_->uses_udp() && !ports_.is_open()) {
    ports_ = open_udp_pair(*address_of(server_->bytes.ss_family == AF_INET6 ? "::" : "0.0.0.0", 0));
    if (!ports_.is_open()) return session_->fail("no two consecutive UDP ports are free");
    kernel_buffer_bytes_ = enlarge_receive_buffer(ports_.data);
  }
  input_.resize(session_->uses_udp() ? kReplyBytes : kDataBytes);
  if (attempt.variant >= order.queries.size()) return session_->fail("there is no query for this transponder");
  session_->begin(order.server, order.queries[attempt.variant], ports_.port, Clock::now());
}

dvb::ReadResult SessionSource::read(std::span<std::uint8_t> buffer) {
  using State = dvb::ReadResult::State;
  if (!has_data()) {
    // While a reply is expected, it is read at once.
    if (session_->playing() && !session_->awaits_reply()) std::this_thread::sleep_until(next_read_);
    wait();
  }
  now_ = Clock::now();
  const bool is_small = session_->uses_udp() && kernel_buffer_bytes_ < kLargeBufferBytes;
  if (!has_data()) next_read_ = now_ + (is_small ? kShortGatherTime : kGatherTime);
  exchange_messages(now_);
  session_->tick(now_);
  if (session_->playing() && !was_playing_ && session_->uses_udp()) drop_stale_datagrams();
  was_playing_ = session_->playing();
  if (was_playing_) has_played_ = true;
  receive_datagrams(now_);
  session_->receiver().tick(now_);
  if (was_playing_) retrying_ = false;
  if (retrying_ && !session_->error().empty()) return {State::failed, 0};
  const std::size_t size = session_->receiver().take(buffer);
  if (size > 0) session_->data(now_);
  return size > 0 ? dvb::ReadResult{State::data, size} : dvb::ReadResult{};
}

/// Waits until data arrives or can be sent, at most kGatherTime.
void SessionSource::wait() {
  const bool sends = connection_.is_open() && (!connected_ || !unsent_.empty());
  // poll() ignores the negative descriptors of closed sockets.
  std::array<pollfd, 3> waited = {{{connection_.number(), static_cast<short>(sends ? POLLOUT | POLLIN : POLLIN), 0},
                                   {ports_.data.number(), POLLIN, 0},
                                   {ports_.control.number(), POLLIN, 0}}};
  poll(waited.data(), waited.size(), static_cast<int>(kGatherTime.count()));
}

/// Sends the session's requests, and reads the server's replies.
void SessionSource::exchange_messages(Time now) {
  unsent_ += session_->output();
  session_->output().clear();
  if (!connection_.is_open()) {
    if (unsent_.empty() || !server_) return;
    int error = 0;
    connection_ = begin_connecting(*server_, error);
    connecting_since_ = now;
    if (!connection_.is_open()) return session_->fail(std::strerror(error));
  }
  if (send(now)) receive(now);
}

/// Sends unsent requests. Returns false while there is no connection.
bool SessionSource::send(Time now) {
  if (!connected_ && unsent_.empty()) return false;
  const ssize_t sent = ::send(connection_.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  const int error = errno;
  if (sent >= 0) {
    if (!std::exchange(connected_, true)) session_->set_local_host(local_host_of(connection_));
    unsent_.erase(0, static_cast<std::size_t>(sent));
  } else if (error != EAGAIN && error != EINTR && (connected_ || error != ENOTCONN)) {
    lose_connection(std::strerror(error), now);
  } else if (!connected_ && now - connecting_since_ >= kConnectTimeout) {
    lose_connection("it does not answer", now);
  }
  return connected_;
}

void SessionSource::receive(Time now) {
  // While there is data to take, more can wait in the kernel.
  if (has_data()) return;
  const ssize_t size = recv(connection_.number(), input_.data(), input_.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return lose_connection(size == 0 ? "it has closed the connection" : std::strerror(errno), now);
  if (!session_->feed({input_.data(), static_cast<std::size_t>(size)}, now)) {
    close_connection();
    return session_->fail("it sends invalid replies");
  }
  // There may be more to read at once, unless the bytes contained no data.
  if (static_cast<std::size_t>(size) == input_.size() && has_data()) next_read_ = now;
}

void SessionSource::close_connection() {
  connection_.close();
  connected_ = false;
  unsent_.clear();
  session_->reset_input();
}

/// A session that delivers by UDP outlives its connection.
void SessionSource::lose_connection(const std::string& reason, Time now) {
  const bool was_connected = connected_;
  close_connection();
  if (!session_->uses_udp() || !session_->is_open() || !was_connected) return session_->fail(reason);
  if (now - reconnected_at_ < kMinReconnectInterval && !session_->awaits_reply()) return;
  if (now - reconnected_at_ < kMinReconnectInterval) return session_->fail(reason);
  reconnected_at_ = now;
  session_->reconnected(now);
}

void SessionSource::receive_datagrams(Time now) {
  if (!session_->uses_udp() || !ports_.is_open() || !server_ || has_data()) return;
  batch_.receive(ports_.control, &*server_, [&](wire::Bytes packet) { session_->take_report(packet, now); });
  const auto take = [&](wire::Bytes packet) {
    if (session_->playing()) session_->receiver().packet(packet, now);
  };
  for (unsigned i = 0; i < kMaxDataBatchesPerRead; ++i) {
    if (batch_.receive(ports_.data, &*server_, take) < Batch::kMaxDatagrams) return;
  }
  if (has_data()) next_read_ = now;
}

/// Drops datagrams that have arrived by now: they are of the previous transponder.
void SessionSource::drop_stale_datagrams() {
  // Bounded by the size of the kernel's buffer.
  for (std::size_t dropped = 0; dropped < kernel_buffer_bytes_;
       dropped += Batch::kMaxDatagrams * Batch::kMaxDatagramBytes) {
    if (batch_.receive(ports_.data, &*server_, [](wire::Bytes) {}) == 0) return;
  }
}

}  // namespace receiverd::rtp
