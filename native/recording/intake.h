// The source of packets for a writer thread: the queues of the streams opened for it, read one after the other as if
// they were one. A queue that is full loses data; the tuner never waits for the writer.
//
// Threads. open_queue(), join_queue(), join_state(), ring(), lost() and waiting() may be called from any thread, even
// while the writer is blocked. The rest belongs to the writer. Only the lock of a queue is taken under the mutex, and
// none under the bell's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "dvb/stream_queue.h"
#include "recording/join.h"

namespace receiverd::recording {

/// A writer publishes its status at most this often.
inline constexpr std::chrono::milliseconds kPublishInterval{200};

/// Wakes an idle thread.
class Bell {
 public:
  void ring();
  /// Returns once it has been rung since the last call, or at the given time at the latest.
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

  /// Returns the queue for another stream; the previous stream ends.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Returns the queue for a stream that continues the present one without a gap, if it can: see join.h.
  std::shared_ptr<dvb::StreamQueue> join_queue();
  /// Of the last join_queue().
  Join::State join_state() const;
  void ring() { bell_->ring(); }

  void wait(std::chrono::steady_clock::time_point until) { bell_->wait(until); }

  enum class Taken : std::uint8_t {
    chunk,
    ended,   ///< the stream has ended; what follows belongs to another one
    nothing  ///< no data at present
  };
  Taken take(dvb::Chunk& chunk);

  /// Ends the open streams; packets received so far can still be taken.
  void close_input();
  /// Stops taking packets.
  void close();

  /// Bytes lost because a queue was full.
  std::uint64_t lost() const;
  /// Bytes waiting in the queue.
  std::uint64_t waiting() const;
  /// The reason why the last stream taken has ended.
  dvb::StreamEnd last_end() const { return last_end_; }
  /// The same, but none while a stream is open.
  dvb::StreamEnd end() const;

 private:
  const std::size_t bound_;
  // Shared, because the tuner may be about to ring it after the intake is destroyed.
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();

  std::shared_ptr<dvb::StreamQueue> new_queue(dvb::StreamStart start) const;
  dvb::StreamQueue::Read read(dvb::Chunk& chunk);
  void begin_join();
  void end_join();

  // Used only by the writer.
  dvb::StreamEnd last_end_ = dvb::StreamEnd::none;
  std::unique_ptr<Join> join_;

  mutable std::mutex mutex_;
  std::shared_ptr<dvb::StreamQueue> queue_;               // changed by the writer, under mutex_
  std::uint64_t lost_before_ = 0;                         // guarded by mutex_; in the queues before this one
  std::deque<std::shared_ptr<dvb::StreamQueue>> opened_;  // guarded by mutex_; the last one is the newest
  std::unique_ptr<Join> joining_;                         // guarded by mutex_; until the writer takes it
  Join::State join_state_ = Join::State::none;            // guarded by mutex_
};

}  // namespace receiverd::recording
