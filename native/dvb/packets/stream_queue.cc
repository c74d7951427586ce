#include "dvb/packets/stream_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace receiverd::dvb {

StreamQueue::StreamQueue(std::size_t max_bytes, std::function<void()> readable, WhenFull when_full, StreamStart start,
                         std::chrono::milliseconds gather)
    : max_bytes_(std::max(max_bytes, kChunkSize)),
      readable_(std::move(readable)),
      when_full_(when_full),
      start_(start),
      gather_(gather) {}

void StreamQueue::append(wire::Bytes packets, SteadyTime now) {
  while (!packets.empty() && !ended()) {
    if (filling_.size == 0) {
      filling_since_ = now;
      if (!filling_.bytes) {
        // A radio service fills 3 KB in 100 ms, an HD service 200 KB: allocate a quarter more than the last chunk
        // needed.
        const std::size_t wanted = std::clamp(expected_size_ + expected_size_ / 4, 16 * kPacketSize, kChunkSize);
        filling_.capacity = wanted / kPacketSize * kPacketSize;
        filling_.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(filling_.capacity);
      }
    }
    const std::size_t count = std::min(packets.size(), filling_.capacity - filling_.size);
    std::memcpy(filling_.bytes.get() + filling_.size, packets.data(), count);
    filling_.size += count;
    packets = packets.subspan(count);
    if (filling_.size == filling_.capacity) {
      expected_size_ = std::min(filling_.size * 2, kChunkSize);
      publish();
    }
  }
}

void StreamQueue::flush(SteadyTime now) {
  if (filling_.size == 0 || ended()) return;
  if (published_any_ && now - filling_since_ < gather_) return;
  expected_size_ = filling_.size;
  publish();
}

void StreamQueue::publish() {
  published_any_ = true;
  if (queued_.load(std::memory_order_relaxed) + filling_.size > max_bytes_) {
    if (when_full_ == WhenFull::end) {
      end(StreamEnd::overflow, true);
    } else {
      lost_.fetch_add(std::exchange(filling_.size, 0), std::memory_order_relaxed);
    }
    return;
  }
  bool call = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended()) return;
    queued_.fetch_add(filling_.size, std::memory_order_relaxed);
    queue_.push_back(std::exchange(filling_, Chunk{}));
    call = std::exchange(waiting_, false);
  }
  if (call) readable_();
}

void StreamQueue::finish(StreamEnd reason) {
  if (ended()) return;
  if (filling_.size != 0) publish();
  end(reason, false);
}

void StreamQueue::overflow() {
  if (when_full_ == WhenFull::end) {
    end(StreamEnd::overflow, true);
  } else {
    given_up_.store(true, std::memory_order_relaxed);
  }
}

void StreamQueue::end(StreamEnd reason, bool drop_queue) {
  bool call = false;
  std::deque<Chunk> dropped;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    StreamEnd open = StreamEnd::none;
    if (!reason_.compare_exchange_strong(open, reason, std::memory_order_acq_rel)) return;
    if (drop_queue) {
      dropped.swap(queue_);
      queued_.store(0, std::memory_order_relaxed);
    }
    call = std::exchange(waiting_, false);
  }
  if (call) readable_();
}

StreamQueue::Read StreamQueue::read(Chunk& chunk) {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) {
    chunk = std::move(queue_.front());
    queue_.pop_front();
    const std::size_t left = queued_.fetch_sub(chunk.size, std::memory_order_relaxed) - chunk.size;
    if (left <= max_bytes_ / 2) given_up_.store(false, std::memory_order_relaxed);
    delivered_.fetch_add(chunk.size, std::memory_order_relaxed);
    return Read::chunk;
  }
  if (ended()) return Read::end;
  waiting_ = true;
  return Read::nothing;
}

void StreamQueue::close() {
  std::deque<Chunk> dropped;
  const std::lock_guard lock(mutex_);
  StreamEnd open = StreamEnd::none;
  reason_.compare_exchange_strong(open, StreamEnd::closed, std::memory_order_acq_rel);
  waiting_ = false;
  dropped.swap(queue_);
  queued_.store(0, std::memory_order_relaxed);
}

StreamQueue::Counters StreamQueue::counters() const {
  return {delivered_.load(std::memory_order_relaxed), queued_.load(std::memory_order_relaxed), max_bytes_,
          lost_.load(std::memory_order_relaxed)};
}

}  // namespace receiverd::dvb
