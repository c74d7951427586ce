// Sends transport packets and reports to one SAT>IP or HDHomeRun client by UDP, from a thread of its own.
//
//   tuner thread ──► StreamQueue ──► sender's thread ──► 7 packets per datagram, at most 16 datagrams per millisecond
//
// A higher rate would overflow small switches and slow clients. Packets that wait are bounded by the queue, which drops
// packets beyond its bound.
//
// Threads. Everything may be called from any thread. The sockets and the RTP stream belong to the sender's thread.
// mutex_ guards the queue pointer and the status, Wake::mutex the wake-up. No other lock is taken under either, and
// a StreamQueue calls its callback without holding its lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "dvb/packets/stream_queue.h"
#include "rtp/sockets.h"
#include "satip/rtp_stream.h"

namespace receiverd::satip {

/// What a datagram has besides its packets.
enum class Framing : std::uint8_t {
  rtp,
  /// HDHomeRun's clients drop datagrams that do not have seven packets: null packets fill them up.
  filled_rtp,
  /// Likewise, without a header.
  filled_udp,
};

class RtpSender {
 public:
  static constexpr std::size_t kMaxQueueBytes = 4 << 20;
  /// How long fewer than seven packets may wait for more.
  static constexpr std::chrono::milliseconds kGatherTime{40};

  /// `local`: an address of this machine; its port is ignored. `rtp`, `rtcp`: of the client. @throws std::system_error
  RtpSender(const rtp::Address& local, const rtp::Address& rtp, const rtp::Address& rtcp,
            Framing framing = Framing::rtp);
  /// Waits for the thread, at most 100 ms.
  ~RtpSender();
  RtpSender(const RtpSender&) = delete;
  RtpSender& operator=(const RtpSender&) = delete;

  std::uint16_t port() const { return sockets_.port; }
  /// Sequence number of the next datagram.
  std::uint16_t sequence() const { return sequence_.load(std::memory_order_relaxed); }
  /// Opens the queue that the next packets are taken from, and closes the previous queue.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Null before the first one, and after close_queue().
  std::shared_ptr<dvb::StreamQueue> queue() const;
  void close_queue();
  /// Sets the text of the reports. No reports are sent before the first call.
  void describe(std::string status);

 private:
  /// Wakes the thread. The queues' callbacks own it, so it may outlive the sender.
  struct Wake {
    std::mutex mutex;
    std::condition_variable changed;
    bool called = false;  // guarded by mutex
    void call();
  };
  struct Batch;

  void run();
  void serve();
  void send(Batch& batch, const dvb::Chunk& chunk);
  void report();
  void replace(std::shared_ptr<dvb::StreamQueue> queue);

  const Framing framing_;
  const rtp::UdpPair sockets_;
  const std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();
  RtpStream stream_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint16_t> sequence_{0};

  mutable std::mutex mutex_;
  std::shared_ptr<dvb::StreamQueue> queue_;  // guarded by mutex_
  std::string status_;                       // guarded by mutex_

  RtpStream::SteadyTime not_before_{};  // earliest time for the next batch
  std::thread thread_;
};

}  // namespace receiverd::satip
