// Analyses the packets of a recording while they are written: pictures (picture_index.h), time, present event,
// scrambled and missing packets.
//
// Owned by the thread of the recording.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dvb/multiplex/demux.h"
#include "dvb/packets/clock_shift.h"
#include "recording/picture_index.h"

namespace receiverd::recording {

/// The present event of EIT present/following, and its start in the recording.
struct PresentEvent {
  std::uint16_t id = 0;
  std::uint64_t ticks = 0;  ///< 90 kHz ticks from the start of the recording
};

/// The time within a recording: 90 kHz ticks since its first time stamp, without jumps of the broadcaster's clock and
/// without the wrap of its 33 bits every 26.5 hours. Readers of an `.ap` file calculate it the same way.
class RecordedTime {
 public:
  /// A larger step between two time stamps is a jump of the clock.
  static constexpr std::int64_t kMaxGapTicks = std::int64_t{10} * 90'000;
  /// A larger step back is a jump too: pictures are sent out of their order, but not by that much.
  static constexpr std::int64_t kMaxReorderTicks = std::int64_t{2} * 90'000;

  /// Takes the next time stamp, 33 bits of 90 kHz, in stream order.
  void take(std::uint64_t stamp) {
    const std::int64_t step = any_ ? dvb::pts_difference(stamp, last_) : 0;
    any_ = true;
    last_ = stamp;
    // After a jump, time continues where it was.
    now_ = step > kMaxGapTicks || step < -kMaxReorderTicks ? latest_ : now_ + step;
    latest_ = std::max(latest_, now_);
  }

  bool any() const { return any_; }
  /// Ticks from the first time stamp to the latest.
  std::uint64_t ticks() const { return static_cast<std::uint64_t>(latest_); }

 private:
  bool any_ = false;
  std::uint64_t last_ = 0;
  std::int64_t now_ = 0;
  std::int64_t latest_ = 0;
};

class RecordedStream : private dvb::SectionHandler {
 public:
  explicit RecordedStream(PictureSink& sink);
  ~RecordedStream() override;
  RecordedStream(const RecordedStream&) = delete;
  RecordedStream& operator=(const RecordedStream&) = delete;

  /// Takes the next whole packets of the recording; the first is at `offset` in the file.
  void take(wire::Bytes packets, std::uint64_t offset);
  /// Another stream of the service follows: incomplete sections and PES packets do not continue.
  void mark_interrupted();

  /// Length of the recording in 90 kHz ticks.
  std::uint64_t ticks() const { return time_.ticks(); }
  /// The file offset of the last picture if it may be incomplete at `end`, the size of the file. Nothing if so much
  /// follows the start of the picture that it must be complete, or if there are no pictures.
  std::optional<std::uint64_t> incomplete_picture(std::uint64_t end) const;
  /// The PID whose time stamps are used: video, or else the first audio stream; kNullPid if there is none.
  std::uint16_t timing_pid() const { return timing_pid_; }
  bool has_video() const { return video_pid_ != dvb::kNullPid; }
  std::uint16_t pmt_pid() const { return pmt_pid_; }
  /// The newest section of PAT or PMT; empty until received.
  wire::Bytes pat() const { return pat_; }
  wire::Bytes pmt() const { return pmt_; }
  const std::optional<PresentEvent>& present() const { return present_; }
  /// `continuity_errors`, `scrambled`, `packets` and `transport_errors` of all streams.
  dvb::PidStatistics totals() const { return demux_.totals(); }

 private:
  struct Picture {
    std::uint64_t offset = 0;
    std::uint64_t clock_ticks = 0;
    std::uint64_t audio_ticks = 0;
  };

  void section(wire::Bytes section, std::uint16_t pid) override;
  void take_pat(wire::Bytes section);
  void take_pmt(wire::Bytes section);
  void take_eit(wire::Bytes section);
  void follow_pmt(std::uint16_t pid);
  void video_packet(dvb::Packet packet, std::uint64_t offset);
  void follow_time(RecordedTime& time, std::uint64_t stamp, std::uint64_t offset);
  void scrambled_entry(std::uint64_t offset);

  PictureSink& sink_;
  dvb::Demux demux_;
  PictureIndex pictures_;
  RecordedTime time_;
  dvb::Section pat_;
  dvb::Section pmt_;
  std::uint16_t pmt_pid_ = dvb::kNullPid;
  std::uint16_t video_pid_ = dvb::kNullPid;
  std::uint16_t timing_pid_ = dvb::kNullPid;
  std::uint16_t clock_pid_ = dvb::kNullPid;
  std::uint16_t audio_pid_ = dvb::kNullPid;  // of the first audio stream
  dvb::VideoCodec codec_ = dvb::VideoCodec::unknown;
  bool scrambled_ = false;                        // time stamps cannot be read: the PCR is used instead
  std::optional<std::uint64_t> scrambled_entry_;  // ticks of the last entry for a scrambled stream
  bool interrupted_ = false;                      // no packet has been received since mark_interrupted()
  std::optional<Picture> last_picture_;           // of the current stream
  RecordedTime clock_time_;                       // by the PCR: continues while no pictures arrive
  RecordedTime audio_time_;                       // by the first audio stream: likewise
  std::uint64_t timed_until_ = 0;                 // file offset at which one of the two last advanced
  std::optional<PresentEvent> present_;
};

}  // namespace receiverd::recording
