// What a recording learns from its own packets as they go to the disk: pictures (picture_index.h), the time, the event
// that is on, scrambled and missing packets.
//
// Owned by the thread of the recording.
#pragma once

#include <cstdint>
#include <optional>

#include "dvb/demux.h"
#include "recording/picture_index.h"
#include "recording/recorded_time.h"

namespace receiverd::recording {

/// The event that EIT present/following calls present, and since when in the recording.
struct PresentEvent {
  std::uint16_t id = 0;
  std::uint64_t ticks = 0;  ///< of 90 kHz from the beginning of the recording
};

class RecordedStream : private dvb::SectionHandler {
 public:
  explicit RecordedStream(PictureSink& sink);
  ~RecordedStream() override;
  RecordedStream(const RecordedStream&) = delete;
  RecordedStream& operator=(const RecordedStream&) = delete;

  /// The next packets of the recording, whole ones; the first lies at `offset` in the file.
  void take(wire::Bytes packets, std::uint64_t offset);
  /// Another stream of the service follows: what was begun before does not go on.
  void interrupted();

  /// Ticks of 90 kHz that are recorded.
  std::uint64_t ticks() const { return time_.ticks(); }
  /// Where in the file the last picture begins, if so little follows until `end`, that of the file, that it may not be
  /// there as a whole; nothing when it lies farther back, and without pictures.
  std::optional<std::uint64_t> torn_picture(std::uint64_t end) const;
  /// Whose time stamps count: the video's PID, or that of the first sound; kNullPid until there is one.
  std::uint16_t timing_pid() const { return timing_pid_; }
  bool has_video() const { return video_pid_ != dvb::kNullPid; }
  std::uint16_t pmt_pid() const { return pmt_pid_; }
  /// The newest sections; empty until they have come.
  wire::Bytes pat() const { return pat_; }
  wire::Bytes pmt() const { return pmt_; }
  const std::optional<PresentEvent>& present() const { return present_; }
  /// `continuity_errors`, `scrambled`, `packets` and `transport_errors` of all streams.
  dvb::PidStatistics totals() const { return demux_.totals(); }

 private:
  struct Picture {
    std::uint64_t offset = 0;
    std::uint64_t clock_ticks = 0;
    std::uint64_t sound_ticks = 0;
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
  std::uint16_t timing_pid_ = dvb::kNullPid;  // whose time stamps count: the video's, or the first sound's
  std::uint16_t clock_pid_ = dvb::kNullPid;
  std::uint16_t sound_pid_ = dvb::kNullPid;  // the first sound's
  dvb::VideoCodec codec_ = dvb::VideoCodec::unknown;
  bool scrambled_ = false;                        // the time stamps cannot be seen: the PCR counts
  std::optional<std::uint64_t> scrambled_entry_;  // ticks of the last one
  bool interrupted_ = false;                      // nothing has come since
  std::optional<Picture> last_picture_;           // of the stream as it is now
  RecordedTime clock_time_;                       // goes on without pictures, as long as there is a PCR
  RecordedTime sound_time_;                       // or the first sound
  std::uint64_t timed_until_ = 0;                 // where one of them went on last
  std::optional<PresentEvent> present_;
};

}  // namespace receiverd::recording
