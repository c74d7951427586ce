// Where a writer thread takes its packets from: the queues of the streams that are opened for it, one after the other,
// as one. A queue loses what has no room in it; the tuner never waits for the writer.
//
// Threads. open_queue(), ring(), lost() and waiting() may be called from any thread, also while the writer hangs; the
// rest belongs to the writer. Under the mutex only the lock of a queue is taken, under the bell's none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "dvb/stream_queue.h"

namespace receiverd::recording {

/// Wakes a thread that has nothing to do.
class Bell {
 public:
  void ring();
  /// Returns when it was rung since the last time, at the latest at that time.
  void wait(std::chrono::steady_clock::time_point until);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;  // guarded by mutex_
};

class Intake {
 public:
  /// `bound`: bytes that may wait in each queue.
  explicit Intake(std::size_t bound) : bound_(bound) {}

  /// The queue for another stream; what was open before is over.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  void ring() { bell_->ring(); }

  void wait(std::chrono::steady_clock::time_point until) { bell_->wait(until); }

  enum class Taken : std::uint8_t {
    chunk,
    ended,   ///< the stream was over; what comes next is of another one
    nothing  ///< for now
  };
  Taken take(dvb::Chunk& chunk);

  /// What has come until now is the rest.
  void cut();
  /// Takes nothing more.
  void close();

  /// Bytes that had no room.
  std::uint64_t lost() const;
  /// Bytes that wait.
  std::uint64_t waiting() const;
  /// Why the last stream that was taken has ended.
  dvb::StreamEnd last_end() const { return last_end_; }
  /// The same; none while one is open.
  dvb::StreamEnd end() const;

 private:
  const std::size_t bound_;
  // The tuner may be about to ring it when the intake is gone already, so it belongs to both.
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();

  // The writer's own.
  dvb::StreamEnd last_end_ = dvb::StreamEnd::none;

  mutable std::mutex mutex_;
  std::shared_ptr<dvb::StreamQueue> queue_;               // changed by the writer, under mutex_
  std::uint64_t lost_before_ = 0;                         // guarded by mutex_; by the queues before this one
  std::deque<std::shared_ptr<dvb::StreamQueue>> opened_;  // guarded by mutex_; the last one is the newest
};

}  // namespace receiverd::recording
