#include "recording/recorded_stream.h"

#include <algorithm>

#include "dvb/si/elementary_stream.h"
#include "dvb/si/tables.h"

namespace receiverd::recording {

using dvb::kPacketSize;

namespace {

/// Time within which a picture arrives, in 90 kHz ticks.
constexpr std::uint64_t kMaxPictureTicks = std::uint64_t{2} * 90'000;
/// Bytes without a time stamp within which a picture arrives: there must be a PCR every tenth of a second.
constexpr std::uint64_t kMaxUntimedBytes = 6000 * kPacketSize;

}  // namespace

RecordedStream::RecordedStream(PictureSink& sink) : sink_(sink), pictures_(sink) {
  demux_.add_handler(dvb::pid::kPat, *this);
  demux_.add_handler(dvb::pid::kEit, *this);
}

RecordedStream::~RecordedStream() = default;

void RecordedStream::take(wire::Bytes packets, std::uint64_t offset) {
  if (interrupted_ && packets.size() >= kPacketSize) {
    interrupted_ = false;
    last_picture_.reset();
  }
  for (; packets.size() >= kPacketSize; packets = packets.subspan(kPacketSize), offset += kPacketSize) {
    // One packet at a time, so that tables take effect at their place among the packets.
    demux_.feed(packets.first(kPacketSize));
    const dvb::Packet packet(packets.data());
    if (packet.transport_error()) continue;
    const std::uint16_t pid = packet.pid();
    if (pid == timing_pid_) {
      scrambled_ = packet.has_payload() ? packet.scrambling_control() != 0 : scrambled_;
      if (!scrambled_) {
        if (const auto pts = pts_of(packet)) time_.take(*pts);
      }
    }
    if (pid == clock_pid_) {
      if (const auto pcr = packet.pcr()) {
        follow_time(clock_time_, *pcr / 300, offset);
        if (scrambled_) time_.take(*pcr / 300);
      }
    }
    if (pid == audio_pid_ && packet.scrambling_control() == 0) {
      if (const auto pts = pts_of(packet)) follow_time(audio_time_, *pts, offset);
    }
    if (pid == video_pid_) video_packet(packet, offset);
  }
}

void RecordedStream::follow_time(RecordedTime& time, std::uint64_t stamp, std::uint64_t offset) {
  const std::uint64_t before = time.ticks();
  time.take(stamp);
  if (time.ticks() != before) timed_until_ = offset;
}

void RecordedStream::video_packet(dvb::Packet packet, std::uint64_t offset) {
  if (packet.payload_unit_start()) last_picture_ = {offset, clock_time_.ticks(), audio_time_.ticks()};
  if (packet.scrambling_control() == 0) {
    pictures_.push(packet, offset);
  } else if (packet.payload_unit_start()) {
    scrambled_entry(offset);
  }
}

/// Pictures cannot be found in a scrambled stream. Instead, one entry per second is added, with the time of the
/// recording. The first entry has time 0, so that readers can distinguish them from entries with a PTS. The two are not
/// mixed.
void RecordedStream::scrambled_entry(std::uint64_t offset) {
  constexpr std::uint64_t kSecond = 90'000;
  if (codec_ == dvb::VideoCodec::unknown || !time_.any()) return;
  const std::uint64_t ticks = scrambled_entry_ ? time_.ticks() : 0;
  if (scrambled_entry_ && ticks < *scrambled_entry_ + kSecond) return;
  scrambled_entry_ = ticks;
  sink_.access_point(offset, ticks);
}

void RecordedStream::mark_interrupted() {
  demux_.discontinuity();
  pictures_.begin(codec_);
  interrupted_ = true;
}

std::optional<std::uint64_t> RecordedStream::incomplete_picture(std::uint64_t end) const {
  if (!last_picture_) return std::nullopt;
  const std::uint64_t ticks = std::max(clock_time_.ticks() - last_picture_->clock_ticks,  //
                                       audio_time_.ticks() - last_picture_->audio_ticks);
  const std::uint64_t untimed = end - std::max(timed_until_, last_picture_->offset);
  if (ticks > kMaxPictureTicks || untimed > kMaxUntimedBytes) return std::nullopt;
  return last_picture_->offset;
}

void RecordedStream::section(wire::Bytes section, std::uint16_t pid) {
  const auto header = dvb::read_section_header(section);
  if (!header || !header->current) return;
  if (pid == dvb::pid::kPat) {
    take_pat(section);
  } else if (pid == pmt_pid_ && header->table_id == dvb::table_id::kPmt) {
    take_pmt(section);
  } else if (pid == dvb::pid::kEit && header->table_id == dvb::table_id::kEitPresentFollowingActual &&
             header->section_number == 0) {
    take_eit(section);
  }
}

/// Follows the first program: a recording has only one service.
void RecordedStream::take_pat(wire::Bytes section) {
  dvb::Pat pat;
  if (!dvb::append_section(section, pat) || pat.programs.empty()) return;
  pat_.assign(section.begin(), section.end());
  follow_pmt(pat.programs.front().pmt_pid);
}

void RecordedStream::follow_pmt(std::uint16_t pid) {
  if (pid == pmt_pid_ || pid == dvb::pid::kPat || pid == dvb::pid::kEit) return;
  if (pmt_pid_ != dvb::kNullPid) demux_.remove_handler(pmt_pid_, *this);
  pmt_pid_ = pid;
  if (pid != dvb::kNullPid) demux_.add_handler(pid, *this);
}

void RecordedStream::take_pmt(wire::Bytes section) {
  dvb::Pmt pmt;
  if (!dvb::append_section(section, pmt)) return;
  pmt_.assign(section.begin(), section.end());
  const auto of_kind = [&](dvb::StreamKind kind) {
    return std::ranges::find_if(pmt.streams,
                                [&](const auto& stream) { return dvb::describe_stream(stream).kind == kind; });
  };
  const auto video = of_kind(dvb::StreamKind::video);
  const auto audio = of_kind(dvb::StreamKind::audio);
  const auto timing = video == pmt.streams.end() ? audio : video;
  const std::uint16_t video_pid = video == pmt.streams.end() ? dvb::kNullPid : video->pid;
  const auto codec = video == pmt.streams.end() ? dvb::VideoCodec::unknown : dvb::video_codec(video->stream_type);
  if (video_pid != video_pid_ || codec != codec_) pictures_.begin(codec);
  if (video_pid != video_pid_) last_picture_.reset();
  video_pid_ = video_pid;
  codec_ = codec;
  timing_pid_ = timing == pmt.streams.end() ? dvb::kNullPid : timing->pid;
  audio_pid_ = audio == pmt.streams.end() ? dvb::kNullPid : audio->pid;
  clock_pid_ = pmt.pcr_pid;
}

void RecordedStream::take_eit(wire::Bytes section) {
  // transport_stream_id 2, original_network_id 2, two bytes more, then the events (EN 300 468 §5.2.4).
  constexpr std::size_t kHead = 6;
  constexpr std::size_t kEventHead = 12;
  const wire::Bytes body = dvb::section_body(section);
  if (body.size() < kHead + kEventHead) return;
  const auto id = static_cast<std::uint16_t>(body[kHead] << 8 | body[kHead + 1]);
  if (!present_ || present_->id != id) present_ = PresentEvent{id, time_.ticks()};
}

}  // namespace receiverd::recording
