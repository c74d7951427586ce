// The source of packets for a writer thread: reads the queues of the streams opened for it one after the other, as if
// they were one stream. A full queue drops data; the tuner never waits for the writer.
//
// Threads. open_queue(), join_queue(), join_state(), wake(), lost() and waiting() may be called from any thread, even
// while the writer is blocked. The other functions belong to the writer. Lock order: mutex_, then the lock of a queue.
// No lock is taken under that of the wakeup.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "dvb/packets/stream_queue.h"
#include "recording/join.h"

namespace receiverd::recording {

/// Minimum time between two updates of a writer's published status.
inline constexpr std::chrono::milliseconds kPublishInterval{200};

/// Wakes an idle thread. Thread-safe.
class Wakeup {
 public:
  void notify();
  /// Returns at `until`, or as soon as notify() has been called since the last wait().
  void wait(std::chrono::steady_clock::time_point until);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool notified_ = false;  // guarded by mutex_
};

class Intake {
 public:
  /// `max_queue_bytes` bounds each queue.
  explicit Intake(std::size_t max_queue_bytes) : max_queue_bytes_(max_queue_bytes) {}

  /// Returns the queue for another stream, which follows the current one. The current stream ends.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Returns the queue for a stream that continues the current one without a gap, if possible: see join.h.
  std::shared_ptr<dvb::StreamQueue> join_queue();
  /// The state of the last join_queue().
  Join::State join_state() const;
  /// Wakes the writer from wait().
  void wake() { wakeup_->notify(); }

  void wait(std::chrono::steady_clock::time_point until) { wakeup_->wait(until); }

  enum class Taken : std::uint8_t {
    chunk,
    ended,   ///< the stream has ended; later packets belong to another stream
    nothing  ///< no data at present
  };
  Taken take(dvb::Chunk& chunk);

  /// Ends the open streams. Packets received so far can still be taken.
  void close_input();
  /// Ends the open streams and drops their packets.
  void close();

  /// Bytes lost because a queue was full.
  std::uint64_t lost() const;
  /// Bytes waiting in the current queue.
  std::uint64_t waiting() const;
  /// The reason why the last stream taken has ended.
  dvb::StreamEnd last_end() const { return last_end_; }
  /// Like last_end(), but StreamEnd::none while a stream is open. Any thread.
  dvb::StreamEnd end() const;

 private:
  const std::size_t max_queue_bytes_;
  // Shared, because the tuner may still ring it after the intake has been destroyed.
  const std::shared_ptr<Wakeup> wakeup_ = std::make_shared<Wakeup>();

  std::shared_ptr<dvb::StreamQueue> new_queue(dvb::StreamStart start) const;
  dvb::StreamQueue::Read read(dvb::Chunk& chunk);
  void begin_join();
  void end_join();

  // Used only by the writer.
  dvb::StreamEnd last_end_ = dvb::StreamEnd::none;
  std::unique_ptr<Join> join_;

  mutable std::mutex mutex_;
  std::shared_ptr<dvb::StreamQueue> queue_;               // changed by the writer, under mutex_
  std::uint64_t lost_before_ = 0;                         // guarded by mutex_; bytes lost by earlier queues
  std::deque<std::shared_ptr<dvb::StreamQueue>> opened_;  // guarded by mutex_; the last one is the newest
  std::unique_ptr<Join> joining_;                         // guarded by mutex_; until the writer takes it
  Join::State join_state_ = Join::State::none;            // guarded by mutex_
};

}  // namespace receiverd::recording
