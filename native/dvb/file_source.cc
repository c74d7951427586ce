#include "dvb/file_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/section.h"

namespace receiverd::dvb {

namespace {

/// Longest time that read() blocks.
constexpr std::chrono::milliseconds kMaxWait{50};
constexpr std::chrono::milliseconds kGather{10};  // packets due within it are released together
/// If the reader is later than this, the lost time is not made up.
constexpr std::chrono::seconds kMaxLag{1};
/// How early packets of a pipe are delivered: players need to buffer some seconds before they show a picture.
constexpr std::chrono::seconds kPipeAhead{2};
/// The sender of a pipe may have a faster clock than ours. Clocks deviate by less than one second in this many.
constexpr std::uint64_t kPipeClockTolerance = 2000;
/// Bits per second at which a pipe is played at most, also if it has no clock or its clock jumps.
constexpr std::uint64_t kMaxPipeBitRate = 100'000'000;
constexpr std::uint64_t kMinPipeTicksPerPacket = kPacketSize * 8 * kSystemClockFrequency / kMaxPipeBitRate;
/// A larger step between two PCRs is a jump; 27 MHz ticks.
constexpr std::int64_t kMaxPcrStep = 3 * static_cast<std::int64_t>(kSystemClockFrequency);
/// Only smaller steps between two PCRs measure the packet rate; 27 MHz ticks.
constexpr std::int64_t kMaxRateStep = static_cast<std::int64_t>(kSystemClockFrequency);
constexpr std::size_t kMaxSkippedPackets = 16384;          // in one read()
constexpr std::size_t kMaxBytesWithoutPackets = 64 << 20;  // an endless pipe without a transport stream fails here

std::chrono::nanoseconds duration(std::uint64_t ticks) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ticks / 27 * 1000));
}

}  // namespace

FileSource::FileSource(FileOptions options) : options_(std::move(options)) {}

FileSource::~FileSource() {
  if (file_ >= 0) ::close(file_);
}

ReadResult FileSource::fail(const std::string& what) {
  error_ = options_.path + ": " + what;
  state_ = State::failed;
  locked_ = false;
  return {ReadResult::State::failed, 0};
}

ReadResult FileSource::read(std::span<std::uint8_t> buffer) {
  switch (state_) {
    case State::closed:
      open();
      break;
    case State::head:
    case State::tail:
      survey_chunk();
      break;
    case State::playing:
      return play(buffer);
    case State::ended:
      return {ReadResult::State::ended, 0};
    case State::failed:
      break;
  }
  return {state_ == State::failed ? ReadResult::State::failed : ReadResult::State::idle, 0};
}

void FileSource::open() {
  // O_NONBLOCK: a pipe without a writer must not block the tuner's thread.
  file_ = ::open(options_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) {
    fail(std::generic_category().message(errno));
    return;
  }
  if (S_ISDIR(status.st_mode)) {
    fail("is a folder");
    return;
  }
  regular_ = S_ISREG(status.st_mode);
  size_ = regular_ ? static_cast<std::uint64_t>(status.st_size) : 0;
  chunk_.resize(kChunkSize);
  pids_.resize(kPidCount);
  if (regular_ && (options_.loop || options_.paced)) {
    begin_survey();
  } else {
    begin_pass();
  }
}

void FileSource::begin_survey() {
  survey_ = std::make_unique<LoopSurvey>();
  reader_.reset();
  position_ = 0;
  tail_begin_ = 0;
  state_ = State::head;
}

/// Surveys one chunk of the head or tail window.
void FileSource::survey_chunk() {
  const bool head = state_ == State::head;
  const std::uint64_t window_end = head ? std::min<std::uint64_t>(size_, LoopSurvey::kHeadWindow) : size_;
  const std::uint64_t left = window_end - std::min(position_, window_end);
  const Filled filled = left == 0 ? Filled::end : fill(std::min<std::uint64_t>(left, kChunkSize));
  if (filled == Filled::yes) {
    for (wire::Bytes run; !(run = reader_.next()).empty();) {
      for (; run.size() >= kPacketSize; run = run.subspan(kPacketSize)) {
        if (head) {
          survey_->head_packet(Packet(run.data()));
        } else {
          survey_->tail_packet(Packet(run.data()));
        }
      }
    }
  } else if (filled == Filled::end) {
    survey_window_done();
  }
}

void FileSource::survey_window_done() {
  const std::size_t distance = reader_.packet_distance();
  if (state_ == State::tail) {
    survey_->finish(distance == 0 ? 0 : tail_begin_ / distance);
    if (passes_ == 0 && pass_packets_ == 0) {
      clock_pid_ = survey_->clock_pid();
      ticks_per_packet_ = survey_->ticks_per_packet();
      begin_pass();
    } else {
      end_pass();
    }
    return;
  }
  if (distance == 0) {
    fail("no transport packets");
    return;
  }
  // The tail window starts on the packet grid, so that no packet is lost where the two windows meet.
  const std::uint64_t first = reader_.counters().skipped_bytes;
  if (size_ > first + LoopSurvey::kTailWindow) {
    tail_begin_ = first + (size_ - LoopSurvey::kTailWindow - first) / distance * distance;
  }
  reader_.reset();
  position_ = tail_begin_;
  state_ = State::tail;
}

void FileSource::begin_pass() {
  reader_.reset();
  run_ = {};
  position_ = 0;
  pass_packets_ = 0;
  tail_packets_ = 0;
  in_tail_ = tail_begin_ == 0;
  timed_ = false;
  for (PidState& pid : pids_) pid.seen = false;
  state_ = State::playing;
}

/// Ends a pass: advances every clock by the duration of the file and starts again at its beginning.
void FileSource::end_pass() {
  for (std::size_t pid = 0; pid < kPidCount; ++pid) {
    pids_[pid].elapsed = (pids_[pid].elapsed + survey_->seam(static_cast<std::uint16_t>(pid)).advance) % kPcrModulus;
  }
  total_elapsed_ += survey_->advance();
  ++passes_;
  begin_pass();
}

bool FileSource::size_changed() {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return std::exchange(size_, size) != size;
}

/// Reads up to `limit` bytes and feeds them to the packet reader.
FileSource::Filled FileSource::fill(std::size_t limit) {
  if (!regular_) {
    // poll() waits until the first writer has opened the pipe, and reports POLLHUP after the last one has closed it.
    pollfd wanted{file_, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(kMaxWait.count()));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return Filled::wait;
    if (ready > 0 && (wanted.revents & POLLIN) == 0 && (wanted.revents & POLLHUP) != 0) return Filled::end;
  }
  const ssize_t count = regular_ ? ::pread(file_, chunk_.data(), limit, static_cast<off_t>(position_))
                                 : ::read(file_, chunk_.data(), limit);
  if (count == 0) return Filled::end;
  if (count < 0) {
    if (errno == EINTR || errno == EAGAIN) return Filled::wait;
    fail(std::generic_category().message(errno));
    return Filled::error;
  }
  position_ += static_cast<std::uint64_t>(count);
  reader_.feed({chunk_.data(), static_cast<std::size_t>(count)});
  return Filled::yes;
}

/// Makes run_ start with the next packet. Returns `wait` after one chunk without any, so that the caller can stop.
FileSource::Filled FileSource::next_packet() {
  for (bool is_filled = false; run_.size() < kPacketSize; is_filled = true) {
    run_ = reader_.next();
    if (run_.size() >= kPacketSize) break;
    if (is_filled && (bytes_without_packets_ += kChunkSize) > kMaxBytesWithoutPackets) {
      fail("no transport packets");
      return Filled::error;
    }
    if (is_filled) return Filled::wait;
    std::size_t limit = kChunkSize;
    if (!in_tail_) {
      if (position_ >= tail_begin_) {
        reader_.reset();
        in_tail_ = true;
      } else {
        limit = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkSize, tail_begin_ - position_));
      }
    }
    if (const Filled filled = fill(limit); filled != Filled::yes) return filled;
  }
  bytes_without_packets_ = 0;
  return Filled::yes;
}

ReadResult FileSource::play(std::span<std::uint8_t> buffer) {
  const Clock::time_point now = Clock::now();
  std::size_t used = 0;
  for (std::size_t taken = 0; used + kPacketSize <= buffer.size() && taken < kMaxSkippedPackets; ++taken) {
    const Filled filled = next_packet();
    if (filled == Filled::wait) break;
    if (filled == Filled::error) return {ReadResult::State::failed, 0};
    if (filled == Filled::end) {
      if (pass_packets_ == 0 && regular_) return fail("no transport packets");
      if (!regular_ || !options_.loop) {
        state_ = State::ended;
        locked_ = false;
        return used != 0 ? ReadResult{ReadResult::State::data, used} : ReadResult{ReadResult::State::ended, 0};
      }
      if (size_changed()) {
        begin_survey();
        break;
      }
      end_pass();
      continue;
    }
    const Packet packet(run_.data());
    if (!timed_) take_clock(packet);
    if (options_.paced && !due(now)) break;
    locked_ = true;
    if (emit(buffer.data() + used)) used += kPacketSize;
    run_ = run_.subspan(kPacketSize);
    timed_ = false;
    ++packets_since_;
    ++pass_packets_;
    if (in_tail_) ++tail_packets_;
  }
  if (used != 0) return {ReadResult::State::data, used};
  if (options_.paced && timed_) {
    const auto wait = due_at() - now + kGather;
    std::this_thread::sleep_for(std::clamp<Clock::duration>(wait, kGather, kMaxWait));
  }
  return {};
}

/// Computes the time of the next packet.
void FileSource::take_clock(Packet packet) {
  timed_ = true;
  ticks_per_packet_ = std::max(ticks_per_packet_, min_ticks_per_packet());
  time_ = clock_time_ + packets_since_ * ticks_per_packet_;
  if (packet.transport_error()) return;
  const auto pcr = packet.pcr();
  if (!pcr) return;
  const std::uint16_t pid = packet.pid();
  if (pid != clock_pid_) {
    // If the clock PID stops sending PCRs, the next PID with a PCR takes over.
    if (clock_pid_ != kNullPid && packets_since_ * ticks_per_packet_ <= kSystemClockFrequency) return;
    clock_pid_ = pid;
    clock_.reset();
  }
  const std::uint64_t moved = (*pcr + pids_[pid].elapsed) % kPcrModulus;
  if (clock_) {
    const std::int64_t step = pcr_difference(moved, *clock_);
    if (step >= 0 && step <= kMaxPcrStep) {
      time_ = clock_time_ + static_cast<std::uint64_t>(step);
      if (step != 0 && step <= kMaxRateStep && packets_since_ != 0) {
        ticks_per_packet_ =
            std::max<std::uint64_t>(min_ticks_per_packet(), static_cast<std::uint64_t>(step) / packets_since_);
      }
    }
  }
  clock_ = moved;
  clock_time_ = time_;
  packets_since_ = 0;
}

bool FileSource::due(Clock::time_point now) {
  if (!start_time_) start_time_ = now - due_offset();
  const Clock::time_point at = *start_time_ + due_offset();
  if (now - at > kMaxLag) *start_time_ += now - at;
  return now >= due_at();
}

/// Time from the start to the next packet.
FileSource::Clock::duration FileSource::due_offset() const {
  return duration(regular_ ? time_ : time_ - time_ / kPipeClockTolerance);
}

std::uint64_t FileSource::min_ticks_per_packet() const { return regular_ ? 1 : kMinPipeTicksPerPacket; }

FileSource::Clock::time_point FileSource::due_at() const {
  return *start_time_ + due_offset() - (regular_ ? Clock::duration::zero() : Clock::duration(kPipeAhead));
}

/// Writes the next packet in its output form. Returns false if it is left out altogether.
bool FileSource::emit(std::uint8_t* out) {
  const std::uint8_t* const in = run_.data();
  std::memcpy(out, in, kPacketSize);
  if (!survey_ || !options_.loop) return true;
  const Packet packet(in);
  const std::uint16_t pid = packet.pid();
  if (pid == kNullPid) return true;

  const LoopSurvey::Seam& seam = survey_->seam(pid);
  bool omitted = passes_ != 0 && pass_packets_ < seam.begin;
  if (in_tail_) {
    omitted = omitted || tail_packets_ >= seam.end || tail_packets_ > seam.cut ||
              (tail_packets_ == seam.cut && !cut(out, seam.cut_offset));
  }
  if (omitted) {
    if (!keep_clock_only(in, out)) return false;
    out[3] = static_cast<std::uint8_t>((out[3] & 0xF0) | pids_[pid].counter.value_or(0));
  } else {
    renumber(out);
  }
  if (passes_ != 0) {
    shift_clocks(out, pids_[pid].elapsed);
    if (pid == pid::kTdtTot) {
      shift_broadcast_time(out, static_cast<wire::UnixSeconds>(total_elapsed_ / kSystemClockFrequency));
    }
  }
  return true;
}

/// Removes the section that starts at `offset` from the packet. Returns false if the packet contains nothing else.
bool FileSource::cut(std::uint8_t* bytes, std::size_t offset) {
  const Packet packet(bytes);
  const wire::Bytes payload = packet.payload();
  const auto begin = static_cast<std::size_t>(payload.data() - bytes);
  if (payload.empty() || offset <= begin) return false;
  const std::size_t pointer = payload[0];
  if (packet.payload_unit_start() && begin + 1 + pointer == offset) {
    // The first section that starts in this packet. Only the end of the previous section remains, so none starts here.
    if (pointer == 0) return false;
    std::memmove(bytes + begin, bytes + begin + 1, pointer);
    --offset;
    bytes[1] &= 0xBF;
  }
  std::fill(bytes + offset, bytes + kPacketSize, table_id::kStuffing);
  return true;
}

void FileSource::renumber(std::uint8_t* bytes) {
  const Packet packet(bytes);
  PidState& state = pids_[packet.pid()];
  if (!std::exchange(state.seen, true) && state.counter) {
    const unsigned expected = *state.counter + (packet.has_payload() ? 1U : 0U);
    state.renumbered = static_cast<std::uint8_t>((expected - packet.continuity_counter()) & 0x0F);
  }
  const auto counter = static_cast<std::uint8_t>((packet.continuity_counter() + state.renumbered) & 0x0F);
  bytes[3] = static_cast<std::uint8_t>((bytes[3] & 0xF0) | counter);
  state.counter = counter;
}

}  // namespace receiverd::dvb
