#include "satip/rtp_sender.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace receiverd::satip {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatchDatagrams = 16;
constexpr std::chrono::nanoseconds kDatagramInterval =
    std::chrono::nanoseconds(std::chrono::milliseconds(1)) / kBatchDatagrams;
/// A send must not block the thread for long, so that it can stop.
constexpr timeval kSendTimeout{0, 50'000};

void check(bool holds, const char* what) {
  if (!holds) throw std::system_error(errno, std::generic_category(), what);
}

void connect_to(const rtp::Socket& socket, const rtp::Address& at) {
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout, sizeof kSendTimeout);
  check(::connect(socket.number(), reinterpret_cast<const sockaddr*>(&at.bytes), at.size) == 0, "connect");
}

rtp::UdpPair connected_pair(const rtp::Address& local, const rtp::Address& rtp, const rtp::Address& rtcp) {
  rtp::UdpPair pair = rtp::open_udp_pair(local);
  check(pair.is_open(), "bind");
  connect_to(pair.data, rtp);
  connect_to(pair.control, rtcp);
  return pair;
}

}  // namespace

void RtpSender::Wake::call() {
  const std::lock_guard lock(mutex);
  called = true;
  changed.notify_all();
}

namespace {

using Payload = std::array<std::uint8_t, RtpStream::kPayloadSize>;

/// A datagram of null packets (ISO/IEC 13818-1 §2.4.3.2).
Payload null_payload() {
  Payload bytes;
  bytes.fill(0xFF);
  constexpr std::array<std::uint8_t, 4> kHead{0x47, 0x1F, 0xFF, 0x10};
  for (std::size_t at = 0; at < bytes.size(); at += dvb::kPacketSize) {
    std::copy(kHead.begin(), kHead.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

}  // namespace

// Datagrams that are sent together. Refers to the chunk that has their packets.
struct RtpSender::Batch {
  const Framing framing;
  Payload filler = null_payload();
  std::array<RtpStream::Header, kBatchDatagrams> headers;
  std::array<std::array<iovec, 3>, kBatchDatagrams> parts;
  std::array<mmsghdr, kBatchDatagrams> messages{};
  std::size_t size = 0;

  void add(const RtpStream::Header& header, std::uint8_t* payload, std::size_t length) {
    headers.at(size) = header;
    const std::size_t head = framing == Framing::filled_udp ? 0 : header.size();
    const std::size_t missing = framing == Framing::rtp ? 0 : filler.size() - length;
    auto& own = parts.at(size);
    own = {iovec{headers.at(size).data(), head}, iovec{payload, length}, iovec{filler.data(), missing}};
    messages.at(size).msg_hdr.msg_iov = own.data();
    messages.at(size).msg_hdr.msg_iovlen = own.size();
    ++size;
  }

  /// A datagram that cannot be sent is dropped. The error may be about an earlier one, to a port where nobody listens.
  void send(int socket) {
    for (std::size_t sent = 0; sent < size;) {
      const int count = ::sendmmsg(socket, messages.data() + sent, static_cast<unsigned>(size - sent), MSG_NOSIGNAL);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        ++sent;
      }
    }
    size = 0;
  }
};

RtpSender::RtpSender(const rtp::Address& local, const rtp::Address& rtp, const rtp::Address& rtcp, Framing framing)
    : framing_(framing),
      sockets_(connected_pair(local, rtp, rtcp)),
      sequence_(stream_.sequence()),
      thread_([this] { run(); }) {}

RtpSender::~RtpSender() {
  stopping_.store(true, std::memory_order_release);
  wake_->call();
  thread_.join();
  close_queue();
}

std::shared_ptr<dvb::StreamQueue> RtpSender::open_queue() {
  auto queue = std::make_shared<dvb::StreamQueue>(
      kMaxQueueBytes, [wake = wake_] { wake->call(); }, dvb::WhenFull::lose, dvb::StreamStart::immediately,
      kGatherTime);
  replace(queue);
  wake_->call();
  return queue;
}

void RtpSender::close_queue() { replace(nullptr); }

void RtpSender::replace(std::shared_ptr<dvb::StreamQueue> queue) {
  {
    const std::lock_guard lock(mutex_);
    queue_.swap(queue);
  }
  if (queue != nullptr) queue->close();
}

std::shared_ptr<dvb::StreamQueue> RtpSender::queue() const {
  const std::lock_guard lock(mutex_);
  return queue_;
}

void RtpSender::describe(std::string status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

void RtpSender::run() {
  // No exception may leave a thread: without memory, this client receives nothing more, and its session expires.
  try {
    serve();
  } catch (const std::bad_alloc&) {
    close_queue();
  }
}

void RtpSender::serve() {
  Batch batch{framing_};
  auto next_report = Clock::now();
  while (!stopping_.load(std::memory_order_acquire)) {
    if (Clock::now() >= next_report) {
      report();
      next_report = Clock::now() + RtpStream::kReportInterval;
    }
    dvb::Chunk chunk;
    const auto source = queue();
    if (source != nullptr && source->read(chunk) == dvb::StreamQueue::Read::chunk) {
      send(batch, chunk);
      continue;
    }
    std::unique_lock lock(wake_->mutex);
    wake_->changed.wait_until(lock, next_report, [this] { return wake_->called; });
    wake_->called = false;
  }
}

void RtpSender::send(Batch& batch, const dvb::Chunk& chunk) {
  const auto flush = [&] {
    std::this_thread::sleep_until(not_before_);
    not_before_ = Clock::now() + batch.size * kDatagramInterval;
    batch.send(sockets_.data.number());
  };
  for (std::size_t at = 0; at < chunk.size; at += RtpStream::kPayloadSize) {
    const std::size_t length = std::min(RtpStream::kPayloadSize, chunk.size - at);
    batch.add(stream_.header(length, Clock::now()), chunk.bytes.get() + at, length);
    if (batch.size == kBatchDatagrams) flush();
  }
  if (batch.size > 0) flush();
  sequence_.store(stream_.sequence(), std::memory_order_relaxed);
}

void RtpSender::report() {
  std::string status;
  {
    const std::lock_guard lock(mutex_);
    status = status_;
  }
  if (status.empty()) return;
  const auto packet = stream_.report(status, Clock::now(), std::chrono::system_clock::now());
  // A report that cannot be sent is dropped: the next one follows soon.
  (void)::send(sockets_.control.number(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

}  // namespace receiverd::satip
