#include "recording/ring_feed.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "recording/ring.h"

namespace receiverd::recording {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = dvb::StreamQueue::kChunkSize * 4;
/// Interval for checking whether a slow reader has room again.
constexpr std::chrono::milliseconds kPace{10};

struct File {
  File() = default;
  ~File() {
    if (handle >= 0) ::close(handle);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int handle = -1;
};

}  // namespace

RingFeed::RingFeed(Ring& ring, std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, RingEnd end)
    : ring_(ring), queue_(std::move(queue)), end_(end), sequence_(ring.hold(*this, from)), thread_([this] { run(); }) {}

RingFeed::~RingFeed() {
  if (thread_.joinable()) thread_.join();
}

void RingFeed::run() {
  read();
  // Not `ended`: the end is intended, and the last picture is incomplete.
  queue_->finish(dvb::StreamEnd::stopped);
  ring_.release(*this);
  done_.store(true, std::memory_order_release);
}

void RingFeed::read() {
  for (bool first = true; sequence_ <= end_.sequence; first = false) {
    if (!read_segment(first)) return;
    ++sequence_;
    ring_.hold(*this, sequence_);
  }
}

/// Reads a segment to its end, even while it grows. Returns false if its reader has ended, or there is no more data.
bool RingFeed::read_segment(bool first) {
  std::optional<std::uint64_t> position;
  File file;
  for (;;) {
    // Read first, so that everything written before is seen.
    const bool over = ring_.over();
    const std::optional<RingSegment> segment = ring_.segment(sequence_);
    if (segment && segment->bytes != 0) {
      if (!position) position = first ? 0 : segment->head;
      if (file.handle < 0) file.handle = ::open(ring_.path_of(sequence_).c_str(), O_RDONLY | O_CLOEXEC);
      const bool last = sequence_ == end_.sequence;
      if (!pass(file.handle, *position, last ? std::min(end_.bytes, segment->bytes) : segment->bytes)) return false;
      if (last || segment->closed) return true;
    }
    if (over || queue_->ended()) return false;
    queue_->flush(Clock::now());
    ring_.wait_for_more(Clock::now() + dvb::StreamQueue::kGatherTime);
  }
}

/// Reads up to `end`, as fast as the reader accepts it. Returns false if the reader has ended.
bool RingFeed::pass(int file, std::uint64_t& position, std::uint64_t end) {
  std::vector<std::uint8_t> piece(kPiece);
  while (position < end) {
    while (queue_->half_full()) {
      if (queue_->ended()) return false;
      std::this_thread::sleep_for(kPace);
    }
    if (queue_->ended()) return false;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - position));
    const ssize_t count = ::pread(file, piece.data(), wanted, static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    const auto whole = count <= 0 ? 0 : static_cast<std::size_t>(count) / dvb::kPacketSize * dvb::kPacketSize;
    // The disk has lost the data, or cannot read it.
    if (whole == 0) return true;
    queue_->append({piece.data(), whole}, Clock::now());
    position += whole;
  }
  return true;
}

}  // namespace receiverd::recording
