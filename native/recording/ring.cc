#include "recording/ring.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/section_writer.h"

namespace receiverd::recording {

namespace {

/// Bytes held as the possible start of a segment: enough for a large picture.
constexpr std::size_t kMaxPendingBytes = 8192 * dvb::kPacketSize;
/// A segment has at most 1 / kMinSegments of the bytes of the ring.
constexpr std::uint64_t kMinSegments = 16;
/// The newest segments stay in the page cache, since players are a few segments behind live.
constexpr std::uint64_t kCachedSegments = 4;

/// Bytes that a feed reads with one call.
constexpr std::size_t kPieceBytes = dvb::StreamQueue::kChunkSize * 4;
/// How often a feed checks whether a slow reader has room in its queue.
constexpr std::chrono::milliseconds kQueuePollInterval{10};

bool lacks_room(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace

/// Feeds a recording: a thread reads segments into a queue, as fast as its reader accepts them. Of the copies of PAT
/// and PMT, only the first is used. Segments that a feed still has to read are not removed from the ring.
class Ring::Feed {
 public:
  /// Position at which the feed ends; by default it has no end.
  struct End {
    std::uint64_t sequence = ~std::uint64_t{0};
    std::uint64_t bytes = 0;  // offset in that segment
  };

  /// Starts the thread.
  Feed(Ring& ring, std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, End end)
      : ring_(ring), queue_(std::move(queue)), end_(end), sequence_(ring.hold_segments(*this, from)), thread_([this] {
          run();
        }) {}
  /// Waits for the thread, which ends when its reader or the ring ends.
  ~Feed() { thread_.join(); }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  bool done() const { return done_.load(std::memory_order_acquire); }

 private:
  void run() {
    for (bool first = true; sequence_ <= end_.sequence && read_segment(first); first = false) {
      ring_.hold_segments(*this, ++sequence_);
    }
    // StreamEnd::ended would make the recording keep its last picture, which is incomplete here.
    queue_->finish(dvb::StreamEnd::stopped);
    ring_.release_segments(*this);
    done_.store(true, std::memory_order_release);
  }

  bool read_segment(bool first);
  bool pass(int file, std::uint64_t& position, std::uint64_t end);

  Ring& ring_;
  const std::shared_ptr<dvb::StreamQueue> queue_;
  const End end_;
  std::uint64_t sequence_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

/// Reads a segment to its end, also while it grows. Returns false if the reader has ended or there is no more data.
bool Ring::Feed::read_segment(bool first) {
  struct File {
    ~File() {
      if (handle >= 0) ::close(handle);
    }
    int handle = -1;
  } file;
  std::optional<std::uint64_t> position;
  for (;;) {
    // Checked before the segment, so that no data written until then is missed.
    const bool over = ring_.has_ended();
    const std::optional<RingSegment> segment = ring_.segment(sequence_);
    if (segment && segment->bytes != 0) {
      if (!position) position = first ? 0 : segment->head;
      if (file.handle < 0) file.handle = ::open(ring_.path_of(sequence_).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
bool Ring::Feed::pass(int file, std::uint64_t& position, std::uint64_t end) {
  std::vector<std::uint8_t> piece(kPieceBytes);
  while (position < end) {
    while (queue_->half_full()) {
      if (queue_->ended()) return false;
      std::this_thread::sleep_for(kQueuePollInterval);
    }
    if (queue_->ended()) return false;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - position));
    const ssize_t count = ::pread(file, piece.data(), wanted, static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    const auto whole = count <= 0 ? 0 : static_cast<std::size_t>(count) / dvb::kPacketSize * dvb::kPacketSize;
    // The disk has lost the data, or cannot read it: the rest of the segment is skipped.
    if (whole == 0) return true;
    queue_->append({piece.data(), whole}, Clock::now());
    position += whole;
  }
  return true;
}

Ring::Ring(RingOptions options)
    : options_(std::move(options)),
      max_segment_bytes_(std::max<std::uint64_t>(options_.max_bytes / kMinSegments, OutputFile::kBlockBytes)),
      intake_(options_.max_queue_bytes) {
  stream_.emplace(static_cast<PictureSink&>(*this));
  growing_.sequence = options_.first_sequence;
  publish(true);
  thread_ = std::thread([this] { run(); });
}

Ring::~Ring() { close(); }

void Ring::close() {
  const std::lock_guard control(control_mutex_);
  if (!thread_.joinable()) return;
  closing_.store(true, std::memory_order_release);
  intake_.wake();
  thread_.join();
  thread_ended_.store(true, std::memory_order_release);
  grown_.notify_all();
  std::vector<std::unique_ptr<Feed>> feeds;
  {
    const std::lock_guard lock(mutex_);
    feeds = std::move(feeds_);
  }
  feeds.clear();
  if (file_) ::unlink(path_of(growing_.sequence).c_str());
  file_.reset();
  while (drop_oldest()) {
  }
}

RingStatus Ring::status() const {
  const std::lock_guard lock(mutex_);
  RingStatus status = status_;
  status.first = closed_.empty() ? status.growing.sequence : closed_.front().sequence;
  status.bytes = closed_bytes_ + status.growing.bytes;
  status.feeds = static_cast<std::size_t>(std::ranges::count_if(feeds_, [](const auto& one) { return !one->done(); }));
  return status;
}

std::vector<RingSegment> Ring::segments(std::uint64_t from) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::ranges::lower_bound(closed_, from, {}, &RingSegment::sequence);
  return {first, closed_.end()};
}

void Ring::feed(std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, bool follow) {
  Feed::End end;
  {
    const std::lock_guard lock(mutex_);
    if (!follow) end = {.sequence = status_.growing.sequence, .bytes = status_.growing.bytes};
  }
  auto feed = std::make_unique<Feed>(*this, std::move(queue), from, end);
  std::vector<std::unique_ptr<Feed>> over;
  const std::lock_guard lock(mutex_);
  const auto done = std::stable_partition(feeds_.begin(), feeds_.end(), [](const auto& one) { return !one->done(); });
  std::move(done, feeds_.end(), std::back_inserter(over));
  feeds_.erase(done, feeds_.end());
  feeds_.push_back(std::move(feed));
}

void Ring::access_point(std::uint64_t offset, std::uint64_t) {
  if (candidate_ && candidate_->offset == offset) candidate_->entry = true;
}

void Ring::run() {
  while (!closing()) {
    if (take_chunk()) continue;
    do_due_work();
    intake_.wait(Clock::now() + options_.gather_time / 2);
  }
  intake_.close();
  if (file_ && append_pending()) write_out();
  publish(true);
}

bool Ring::take_chunk() {
  dvb::Chunk chunk;
  switch (intake_.take(chunk)) {
    case Intake::Taken::chunk:
      for (std::size_t at = 0; at + dvb::kPacketSize <= chunk.size && !closing(); at += dvb::kPacketSize) {
        reorder(dvb::Packet(chunk.bytes.get() + at));
      }
      do_due_work();
      return true;
    case Intake::Taken::ended:
      order_.flush(ordered_);
      take_ordered();
      if (append_pending()) stream_starts_ = true;
      candidate_.reset();
      previous_stream_ticks_ = stream_->ticks();
      // The next stream has a time of its own.
      stream_.emplace(static_cast<PictureSink&>(*this));
      part_begin_.reset();
      return true;
    case Intake::Taken::nothing:
      break;
  }
  return false;
}

void Ring::reorder(dvb::Packet packet) {
  if (options_.part_ticks == 0) {
    take(packet);
    return;
  }
  order_.push(packet, ordered_);
  take_ordered();
}

void Ring::take_ordered() {
  for (std::size_t at = 0; at < ordered_.size(); at += dvb::kPacketSize) take(dvb::Packet(ordered_.data() + at));
  ordered_.clear();
}

void Ring::take(dvb::Packet packet) {
  if (stream_starts_) {
    // The stream starts with its own PAT and PMT.
    if (!begin_segment({.offset = position_, .time = Clock::now()}, false)) return;
    stream_starts_ = false;
  }
  const std::uint16_t pid = packet.pid();
  const bool begins = packet.payload_unit_start() && pid == stream_->timing_pid();
  if (begins) {
    if (!append_pending()) return;
    candidate_ = Candidate{position_, pat_counter_, pmt_counter_, 0, Clock::now(), !stream_->has_video()};
    if (options_.part_ticks != 0) {
      const auto head = dvb::read_pes_head(packet);
      if (head) candidate_->dts = head->dts;
      if (candidate_->dts) end_part_if_due(*candidate_->dts);
    }
  }
  stream_->take(packet.bytes(), position_);
  pending_.insert(pending_.end(), packet.bytes().begin(), packet.bytes().end());
  position_ += dvb::kPacketSize;
  if (pid == dvb::pid::kPat) pat_counter_ = packet.continuity_counter();
  if (pid == stream_->pmt_pid()) pmt_counter_ = packet.continuity_counter();
  if (begins) candidate_->ticks = stream_->ticks();
  if (candidate_) {
    end_segment_if_due();
  } else if (growing_.bytes + pending_.size() >= max_segment_bytes_) {
    // No start of a picture or audio frame has been found: the segment ends at any packet.
    if (append_pending()) begin_segment({position_, pat_counter_, pmt_counter_, stream_->ticks(), Clock::now()}, true);
  }
  if (!candidate_ || pending_.size() >= kMaxPendingBytes) append_pending();
}

/// Ends the current part before the picture or audio frame with this DTS, if it is long enough. DTS increase steadily,
/// PTS do not.
void Ring::end_part_if_due(std::uint64_t dts) {
  if (!part_begin_) part_begin_ = dts;
  const std::int64_t ticks = dvb::pts_difference(dts, *part_begin_);
  if (ticks >= 0 && ticks < static_cast<std::int64_t>(options_.part_ticks)) return;
  part_begin_ = dts;
  // The broadcaster's clock has jumped: the duration of the part is unknown.
  if (ticks < 0 || ticks > static_cast<std::int64_t>(options_.max_segment_ticks)) return;
  growing_.parts.push_back({growing_.bytes, static_cast<std::uint64_t>(ticks)});
  if (write_out()) publish(true);
}

/// Ends the segment before the candidate, if it is long enough.
void Ring::end_segment_if_due() {
  const std::uint64_t age = candidate_->ticks - growing_ticks_;
  const bool due = candidate_->entry && age >= options_.min_segment_ticks;
  const bool overdue = age >= options_.max_segment_ticks || growing_.bytes >= max_segment_bytes_;
  if (!due && !overdue) return;
  const Candidate candidate = *std::exchange(candidate_, std::nullopt);
  begin_segment(candidate, true);
}

/// Adds the pending packets to the growing segment. Returns false if the ring is closed meanwhile.
bool Ring::append_pending() {
  candidate_.reset();
  const bool done = append(pending_);
  pending_.clear();
  return done;
}

/// Ends the growing segment and starts the next one. Returns false if the ring is closed meanwhile.
bool Ring::begin_segment(const Candidate& at, bool with_tables) {
  if (file_) {
    if (!write_out_all()) return false;
    end_segment(stream_starts_ ? previous_stream_ticks_ : at.ticks);
  }
  std::vector<std::uint8_t> head;
  if (with_tables) {
    dvb::write_sent_section(stream_->pat(), dvb::pid::kPat, at.pat_counter, true, head);
    dvb::write_sent_section(stream_->pmt(), stream_->pmt_pid(), at.pmt_counter, true, head);
  }
  const bool same_tables = std::ranges::equal(head_pmt_, stream_->pmt());
  head_pmt_.assign(stream_->pmt().begin(), stream_->pmt().end());
  growing_ = {.sequence = growing_.sequence,
              .head = head.size(),
              .begin = at.time,
              .discontinuity = stream_starts_ || (!same_tables && !growing_.discontinuity),
              .entry = at.entry,
              .parts = {}};
  growing_ticks_ = at.ticks;
  part_begin_ = at.dts;
  make_room();
  file_ = std::make_unique<OutputFile>(path_of(growing_.sequence), *options_.disk);
  return append(head);
}

void Ring::end_segment(std::uint64_t ticks) {
  growing_.ticks = std::min(ticks - growing_ticks_, options_.max_segment_ticks);
  growing_.bytes = file_->written();
  if (options_.part_ticks != 0) {
    std::uint64_t before = 0;
    for (const RingPart& part : growing_.parts) before += part.ticks;
    if (growing_.parts.empty() || growing_.parts.back().end < growing_.bytes)
      growing_.parts.push_back({growing_.bytes, growing_.ticks - std::min(growing_.ticks, before)});
  }
  growing_.closed = true;
  lost_before_ += file_->lost();
  file_.reset();
  {
    const std::lock_guard lock(mutex_);
    closed_.push_back(growing_);
    closed_bytes_ += growing_.bytes;
    status_.growing = {};
    status_.growing.sequence = growing_.sequence + 1;
  }
  ++growing_.sequence;
  growing_.bytes = 0;
  drop_from_page_cache();
  grown_.notify_all();
}

/// Puts packets into the buffer. If it is full, waits until it has been written. Returns false if the ring is closed
/// meanwhile.
bool Ring::append(wire::Bytes packets) {
  if (!file_) return true;
  while (!packets.empty()) {
    if (file_->full() && !write_out_all()) return false;
    packets = file_->append(packets);
    growing_.bytes = file_->position();
  }
  return true;
}

bool Ring::write_out_all() {
  while (!write_out()) {
    if (closing()) return false;
    publish();
    intake_.wait(Clock::now() + kRetryInterval);
  }
  return true;
}

/// Writes the buffer. If the disk is full, the oldest segments are removed.
bool Ring::write_out() {
  make_room();
  for (;;) {
    if (file_->written() == 0 || error_ == ENOENT) {
      // Creates the file; also if another program has deleted it.
      const int made = ::open(path_of(growing_.sequence).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (made >= 0) ::close(made);
    }
    const bool written = file_->flush();
    error_ = file_->error();
    if (written || !lacks_room(error_) || !drop_oldest()) break;
  }
  publish(error_ == 0);
  return error_ == 0;
}

void Ring::do_due_work() {
  if (file_ && file_->needs_flush(Clock::now() - options_.gather_time)) write_out();
  publish();
}

/// Removes the oldest segments while the ring exceeds max_bytes or the disk has less than min_free_bytes free. The
/// newest complete segment stays.
void Ring::make_room() {
  for (;;) {
    std::uint64_t used = 0;
    {
      const std::lock_guard lock(mutex_);
      if (closed_.size() < 2) return;
      used = closed_bytes_ + growing_.bytes + OutputFile::kBlockBytes;
    }
    if (used <= options_.max_bytes) {
      struct statvfs disk {};
      if (::statvfs(options_.folder.c_str(), &disk) != 0) return;
      if (std::uint64_t{disk.f_bavail} * disk.f_frsize >= options_.min_free_bytes) return;
    }
    if (!drop_oldest()) return;
  }
}

/// Removes the oldest complete segment. Returns false if there is none, or if a feed needs it.
bool Ring::drop_oldest() {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_.empty()) return false;
    sequence = closed_.front().sequence;
    if (std::ranges::any_of(holds_, [&](const auto& one) { return one.second <= sequence; })) return false;
    closed_bytes_ -= closed_.front().bytes;
    closed_.pop_front();
  }
  ::unlink(path_of(sequence).c_str());
  return true;
}

/// Drops the segment that is now kCachedSegments old from the page cache.
void Ring::drop_from_page_cache() {
  const int file = ::open(path_of(growing_.sequence - kCachedSegments).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

void Ring::publish(bool now) {
  const auto time = Clock::now();
  if (!now && time - published_at_ < std::min(kPublishInterval, options_.gather_time)) return;
  published_at_ = time;
  RingStatus status;
  status.growing = growing_;
  status.growing.bytes = file_ ? file_->written() : 0;
  std::erase_if(status.growing.parts, [&](const RingPart& part) { return part.end > status.growing.bytes; });
  if (file_) {
    const std::uint64_t ticks = stream_starts_ ? previous_stream_ticks_ : stream_->ticks();
    status.growing.ticks = std::min(ticks - growing_ticks_, options_.max_segment_ticks);
  }
  status.packets = position_ / dvb::kPacketSize;
  status.lost = intake_.lost() + lost_before_ + (file_ ? file_->lost() : 0);
  status.error = error_;
  {
    const std::lock_guard lock(mutex_);
    status.end = intake_.end();
    status_ = status;
  }
  grown_.notify_all();
}

std::string Ring::path_of(std::uint64_t sequence) const {
  return options_.folder + "/" + std::to_string(sequence) + ".ts";
}

/// Keeps the segments from `sequence` on for the feed. Returns the sequence of the first of them that exists.
std::uint64_t Ring::hold_segments(const Feed& feed, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = closed_.empty() ? status_.growing.sequence : closed_.front().sequence;
  return holds_[&feed] = std::max(first, sequence);
}

void Ring::release_segments(const Feed& feed) {
  const std::lock_guard lock(mutex_);
  holds_.erase(&feed);
}

/// The segment with this sequence. The growing one has only the bytes that have been written.
std::optional<RingSegment> Ring::segment(std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  if (sequence == status_.growing.sequence) return status_.growing;
  const auto found = std::ranges::lower_bound(closed_, sequence, {}, &RingSegment::sequence);
  return found == closed_.end() || found->sequence != sequence ? std::nullopt : std::optional(*found);
}

void Ring::wait_for_more(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  grown_.wait_until(lock, until);
}

}  // namespace receiverd::recording
