// Sends transport packets to one SAT>IP client by UDP, from a thread of its own, and reports besides.
//
//   tuner thread ──► StreamQueue ──► sender's thread ──► seven packets a datagram, 16 datagrams a millisecond at most
//
// More at a time would overflow small switches and slow clients. What waits for its pace is bounded by the queue, which
// loses what is too much.
//
// Threads. Everything may be called from any thread. The sockets and the RTP stream belong to the sender's thread.
// Lock order: mutex_ guards what is handed over; it is taken before a StreamQueue's, and by its callback without that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "dvb/stream_queue.h"
#include "satip/rtp_stream.h"
#include "satip/sockets.h"

namespace receiverd::satip {

class RtpSender {
 public:
  static constexpr std::size_t kBound = 4 << 20;
  /// Fewer than seven packets wait no longer.
  static constexpr std::chrono::milliseconds kGatherTime{40};

  /// `local`: of this machine, any port. @throws std::system_error if there are no sockets
  RtpSender(const Address& local, const Address& rtp, const Address& rtcp);
  /// Waits for the thread, at most 100 ms.
  ~RtpSender();
  RtpSender(const RtpSender&) = delete;
  RtpSender& operator=(const RtpSender&) = delete;

  std::uint16_t port() const { return sockets_.port; }
  /// Of the next datagram.
  std::uint16_t sequence() const { return sequence_.load(std::memory_order_relaxed); }
  /// What the next packets are taken from; the queue before is closed.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Null before the first one, and after close_queue().
  std::shared_ptr<dvb::StreamQueue> queue() const;
  void close_queue();
  /// The text of the reports from now on; there are none before.
  void describe(std::string status);

 private:
  /// Outlives the sender in the queues' callbacks.
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

  const UdpPair sockets_;
  const std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();
  RtpStream stream_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint16_t> sequence_{0};

  mutable std::mutex mutex_;
  std::shared_ptr<dvb::StreamQueue> queue_;  // guarded by mutex_
  std::string status_;                       // guarded by mutex_

  RtpStream::SteadyTime not_before_{};  // for the next datagrams
  std::thread thread_;
};

}  // namespace receiverd::satip
