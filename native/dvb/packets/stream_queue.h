// Carries packets from a tuner thread to one reader.
//
//   tuner thread ──append()──► chunk being filled ──publish──► queue of chunks ──read()──► reader
//
// A chunk is published when it is full (64 KiB), when its first packet has waited for the gather time (100 ms unless
// the reader chose another), or immediately if it is the first of the stream. The queued bytes are bounded. With
// WhenFull::end (viewers), the stream ends with StreamEnd::overflow and the queue is emptied. With WhenFull::lose
// (recordings, which must not end because a disk is slow), chunks are dropped until there is room again. The tuner
// thread never waits for a reader.
//
// Threads. append(), flush() and finish() belong to the tuner thread; read(), cut() and close() to the reader; the rest
// may be called from any thread. mutex_ guards only the queue: it is held for a pointer swap, and no other lock is
// taken under it. Only the tuner thread uses the chunk being filled. `readable` is called without the lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "dvb/packets/packet.h"

namespace receiverd::dvb {

using SteadyTime = std::chrono::steady_clock::time_point;

/// The reason why a stream has ended.
enum class StreamEnd : std::uint8_t {
  none,      ///< the stream is open
  overflow,  ///< the reader was too slow
  closed,    ///< the reader closed it
  stopped,   ///< the tuner was stopped
  ended,     ///< the source has no more data
  failed     ///< the source failed
};

/// Whole packets, owned.
struct Chunk {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size = 0;
  std::size_t capacity = 0;
};

/// What happens to a chunk that does not fit into the queue.
enum class WhenFull : std::uint8_t {
  end,  ///< the stream ends with StreamEnd::overflow
  lose  ///< the chunk is dropped and counted, the stream continues
};

/// The point from which a stream passes the packets of its service.
enum class StreamStart : std::uint8_t {
  at_random_access,  ///< tables first, then from where a decoder can start
  immediately        ///< everything as it arrives; streams that are added later start as with at_random_access
};

class StreamQueue {
 public:
  static constexpr std::size_t kChunkSize = 348 * kPacketSize;  ///< whole packets in 64 KiB
  static constexpr std::size_t kDefaultMaxBytes = 8 << 20;
  static constexpr std::chrono::milliseconds kGatherTime{100};

  struct Counters {
    std::uint64_t delivered = 0;  ///< bytes read by the reader
    std::size_t queued = 0;       ///< bytes waiting to be read
    std::size_t max_bytes = 0;    ///< bound of `queued`
    std::uint64_t lost = 0;       ///< bytes dropped for lack of room, with WhenFull::lose
  };

  /// `max_bytes` bounds the queued bytes, and is raised to one chunk if it is less. After a read() that returned
  /// nothing, `readable` is called once there is data to read, or the end: on the tuner thread, never from close().
  /// `gather` is how long packets may wait for their chunk to fill.
  StreamQueue(std::size_t max_bytes, std::function<void()> readable, WhenFull when_full = WhenFull::end,
              StreamStart start = StreamStart::at_random_access, std::chrono::milliseconds gather = kGatherTime);

  StreamStart start() const { return start_; }

  /// Adds whole packets. Has no effect once the stream has ended.
  void append(wire::Bytes packets, SteadyTime now);
  /// Publishes packets that have been gathered for long enough: call it every few milliseconds.
  void flush(SteadyTime now);
  /// Ends the stream from the tuner's side; queued data can still be read. The first reason is kept.
  void finish(StreamEnd reason);
  /// Gives up on a slow reader. With WhenFull::end, the stream ends and queued data is dropped. With WhenFull::lose,
  /// sources do not wait for the reader until half of max_bytes is free.
  void overflow();

  enum class Read : std::uint8_t { chunk, nothing, end };
  Read read(Chunk& chunk);
  /// Ends the stream from the reader's side; queued data can still be read.
  void close_input() { end(StreamEnd::closed, false); }
  /// Ends the stream from the reader's side and frees the queue.
  void close();

  StreamEnd reason() const { return reason_.load(std::memory_order_acquire); }
  bool ended() const { return reason() != StreamEnd::none; }
  /// Whether at least half of max_bytes is unread: a source that can wait should do so.
  bool half_full() const {
    return queued_.load(std::memory_order_relaxed) >= max_bytes_ / 2 && !given_up_.load(std::memory_order_relaxed);
  }
  Counters counters() const;

 private:
  void publish();
  void end(StreamEnd reason, bool drop_queue);

  const std::size_t max_bytes_;
  const std::function<void()> readable_;
  const WhenFull when_full_;
  const StreamStart start_;
  const std::chrono::milliseconds gather_;

  // Used only by the tuner thread.
  Chunk filling_;
  SteadyTime filling_since_{};
  std::size_t expected_size_ = kChunkSize / 16;
  bool published_any_ = false;

  std::atomic<StreamEnd> reason_{StreamEnd::none};
  std::atomic<std::size_t> queued_{0};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> given_up_{false};  // with WhenFull::lose: sources do not wait for the reader

  std::mutex mutex_;
  std::deque<Chunk> queue_;  // guarded by mutex_
  bool waiting_ = false;     // guarded by mutex_: the last read() returned nothing, so `readable` must be called
};

}  // namespace receiverd::dvb
