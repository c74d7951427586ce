#include "hdhomerun/hdhomerun_source.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace receiverd::hdhomerun {

namespace {

using Clock = std::chrono::steady_clock;

/// Time in which data accumulates for one read; shorter than the kernel's default receive buffer lasts at 60 Mbit/s.
constexpr std::chrono::milliseconds kGatherTime{8};
constexpr std::chrono::milliseconds kMaxWait{20};
constexpr std::chrono::seconds kConnectTimeout{3};
constexpr std::chrono::seconds kMinReconnectInterval{5};
constexpr std::chrono::milliseconds kReleaseTimeout{400};
/// Batches of datagrams in one read(), so that the tuner can do its other work.
constexpr unsigned kMaxDataBatchesPerRead = 8;
/// Batches of a previous channel that are dropped at most.
constexpr unsigned kMaxStaleBatches = 512;

}  // namespace

HdhomerunSource::HdhomerunSource(HdhomerunOptions options)
    : session_(options.tuner, options.lock_key), reader_([this](const Reply& reply) { session_.take(reply, now_); }) {}

HdhomerunSource::~HdhomerunSource() {
  if (!session_.is_locked() || !connected_) return;
  now_ = Clock::now();
  const Time end = now_ + kReleaseTimeout;
  session_.end(now_);
  while (session_.is_locked() && session_.awaits_reply() && now_ < end) {
    exchange_messages(now_);
    if (session_.awaits_reply()) wait(kMaxWait);
    now_ = Clock::now();
  }
}

void HdhomerunSource::tune(const dvb::TuningOrder& order, dvb::Attempt attempt) {
  if (order != order_) has_played_ = false;
  retrying_ = has_played_;
  // After an error, the connection is not used again.
  if (order.server != order_.server || attempt.all_steps || !session_.error().empty()) {
    close_connection();
    session_.fail({});
  }
  order_ = order;
  was_playing_ = false;
  receiver_.clear();
  device_ = rtp::read_address(order.server);
  if (!device_) return session_.fail("'" + order.server + "' is not an address");
  if (!ports_.is_open()) {
    ports_ = rtp::open_udp_pair(*rtp::address_of(device_->bytes.ss_family == AF_INET6 ? "::" : "0.0.0.0", 0));
    if (!ports_.is_open()) return session_.fail("no UDP port is free");
    rtp::enlarge_receive_buffer(ports_.data);
    ports_.control.close();
  }
  if (attempt.variant >= order.queries.size()) return session_.fail("the device has no such channel");
  session_.begin(order.server, order.queries[attempt.variant], ports_.port, Clock::now());
}

dvb::ReadResult HdhomerunSource::read(std::span<std::uint8_t> buffer) {
  using State = dvb::ReadResult::State;
  if (receiver_.output().empty()) {
    // While a reply is expected, it is read at once.
    if (session_.playing() && !session_.awaits_reply()) std::this_thread::sleep_until(next_read_);
    wait(kMaxWait);
  }
  now_ = Clock::now();
  if (receiver_.output().empty()) next_read_ = now_ + kGatherTime;
  exchange_messages(now_);
  session_.tick(now_);
  receive_datagrams(now_);
  receiver_.tick(now_);
  was_playing_ = session_.playing();
  if (was_playing_) has_played_ = true;
  if (was_playing_) retrying_ = false;
  if (retrying_ && !session_.error().empty()) return {State::failed, 0};
  const std::size_t size = receiver_.take(buffer);
  if (size > 0) session_.data(now_);
  return size > 0 ? dvb::ReadResult{State::data, size} : dvb::ReadResult{};
}

/// Waits until data arrives or can be sent, at most `time`.
void HdhomerunSource::wait(std::chrono::milliseconds time) {
  const bool sends = connection_.is_open() && (!connected_ || !unsent_.empty());
  // poll() ignores the negative descriptors of closed sockets.
  std::array<pollfd, 2> waited = {{{connection_.number(), static_cast<short>(sends ? POLLOUT | POLLIN : POLLIN), 0},
                                   {ports_.data.number(), POLLIN, 0}}};
  poll(waited.data(), waited.size(), static_cast<int>(time.count()));
}

/// Sends the session's requests, and reads the device's replies.
void HdhomerunSource::exchange_messages(Time now) {
  unsent_ += session_.output();
  session_.output().clear();
  if (!connection_.is_open()) {
    if (unsent_.empty() || !device_) return;
    int error = 0;
    connection_ = rtp::begin_connecting(*device_, error);
    connecting_since_ = now;
    if (!connection_.is_open()) return session_.fail(std::strerror(error));
  }
  if (send(now)) receive(now);
}

/// Sends unsent requests. Returns false while there is no connection.
bool HdhomerunSource::send(Time now) {
  if (!connected_ && unsent_.empty()) return false;
  const ssize_t sent = ::send(connection_.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  const int error = errno;
  if (sent >= 0) {
    if (!std::exchange(connected_, true)) session_.set_local_host(rtp::local_host_of(connection_));
    unsent_.erase(0, static_cast<std::size_t>(sent));
  } else if (error != EAGAIN && error != EINTR && (connected_ || error != ENOTCONN)) {
    lose_connection(std::strerror(error), now);
  } else if (!connected_ && now - connecting_since_ >= kConnectTimeout) {
    lose_connection("the device does not answer", now);
  }
  return connected_;
}

void HdhomerunSource::receive(Time now) {
  std::array<std::uint8_t, 4 * kMaxPacketBytes> input{};
  const ssize_t size = recv(connection_.number(), input.data(), input.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return lose_connection(size == 0 ? "the device has closed the connection" : std::strerror(errno), now);
  if (reader_.feed({input.data(), static_cast<std::size_t>(size)})) return;
  close_connection();
  session_.fail("the device sends invalid replies");
}

void HdhomerunSource::close_connection() {
  connection_.close();
  connected_ = false;
  unsent_.clear();
  reader_.reset();
}

void HdhomerunSource::lose_connection(const std::string& reason, Time now) {
  const bool can_continue = connected_ && session_.is_locked() && now - reconnected_at_ >= kMinReconnectInterval;
  close_connection();
  if (!can_continue) return session_.fail(reason);
  reconnected_at_ = now;
  session_.reconnected(now);
}

void HdhomerunSource::receive_datagrams(Time now) {
  if (!session_.playing() || !receiver_.output().empty()) return;
  if (!was_playing_) {
    // What has arrived by now is of the previous channel.
    for (unsigned i = 0; i < kMaxStaleBatches; ++i) {
      if (batch_.receive(ports_.data, &*device_, [](wire::Bytes) {}) == 0) return;
    }
  }
  const auto take = [&](wire::Bytes packet) { receiver_.packet(packet, now); };
  for (unsigned i = 0; i < kMaxDataBatchesPerRead; ++i) {
    if (batch_.receive(ports_.data, &*device_, take) < rtp::Batch::kMaxDatagrams) return;
  }
  if (!receiver_.output().empty()) next_read_ = now;
}

}  // namespace receiverd::hdhomerun
