// Feeds a recording from a ring: a thread reads segments, with only the first copy of PAT and PMT, into a queue as fast
// as its reader accepts them. Segments still to be read are not removed from the ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "dvb/stream_queue.h"

namespace receiverd::recording {

class Ring;

/// The end of a feed: everything before this place, or unlimited.
struct RingEnd {
  std::uint64_t sequence = ~std::uint64_t{0};
  std::uint64_t bytes = 0;  ///< of that segment
};

class RingFeed {
 public:
  /// Starts the thread.
  RingFeed(Ring& ring, std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, RingEnd end);
  /// Waits for the thread, which ends when its reader or the ring ends.
  ~RingFeed();
  RingFeed(const RingFeed&) = delete;
  RingFeed& operator=(const RingFeed&) = delete;

  bool done() const { return done_.load(std::memory_order_acquire); }

 private:
  void run();
  void read();
  bool read_segment(bool first);
  bool pass(int file, std::uint64_t& position, std::uint64_t end);

  Ring& ring_;
  const std::shared_ptr<dvb::StreamQueue> queue_;
  const RingEnd end_;
  std::uint64_t sequence_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace receiverd::recording
