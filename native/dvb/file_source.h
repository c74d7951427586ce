// A tuner source that plays a transport stream file or a pipe: paced by its PCR, and looped seamlessly.
//
//   read chunk of the file ─► PacketReader ─► at the seam: leave out, shift clocks, renumber ─► due? ─► caller's buffer
//
// Pacing (ISO/IEC 13818-1 §2.4.2). The clock is the PID with the largest number of PCRs. Between two PCRs, packets have
// the duration measured before. A PCR jump, backwards or by more than three seconds, takes no time. Without any PCR the
// stream runs at the rate derived from its TDT/TOT, or at LoopSurvey::kDefaultRate. If the caller or the pipe is late
// by more than a second, the lost time is not made up. Packets of a pipe are delivered up to two seconds early.
//
// Loop (regular files). From the second pass on, each PID starts at the clean position that LoopSurvey found, and at
// the end of each pass it ends at one. Continuity counters continue from pass to pass; gaps inside the file remain.
// PCR, OPCR, PTS and DTS, and the time in TDT and TOT, advance by the duration of the file with each pass. Omitted
// packets that carry a PCR are sent without their payload. If the file size changes during playback, the file is
// surveyed again before the next pass.
//
// Memory: one chunk of the file. The file is read, never mapped: if it is truncated, the pass ends earlier. Owned by
// one thread; nothing is opened before the first read().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dvb/loop_survey.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/source.h"

namespace receiverd::dvb {

struct FileOptions {
  std::string path;
  bool loop = true;   ///< start again at the end; a pipe always ends
  bool paced = true;  ///< true: in real time, by the PCR; false: as fast as read() is called
};

class FileSource final : public Source {
 public:
  explicit FileSource(FileOptions options);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// Delivers whole 188-byte packets, whatever the packet size in the file.
  ReadResult read(std::span<std::uint8_t> buffer) override;
  /// Locked while packets arrive; nothing else can be measured.
  SignalQuality signal() const override { return {.locked = locked_}; }
  bool has_repeated() const override { return passes_ != 0; }
  std::string error() const override { return error_; }

  /// The number of times the file has started again.
  std::uint64_t passes() const { return passes_; }

 private:
  enum class State : std::uint8_t { closed, head, tail, playing, ended, failed };
  enum class Filled : std::uint8_t { yes, wait, end, error };
  using Clock = std::chrono::steady_clock;
  struct PidState {
    std::optional<std::uint8_t> counter;  // last continuity counter sent
    std::uint8_t renumbered = 0;          // offset added to the counters in this pass
    bool seen = false;                    // in this pass
    std::uint64_t elapsed = 0;            // 27 MHz ticks by which the clocks have advanced so far
  };

  void open();
  void begin_survey();
  void survey_chunk();
  void survey_window_done();
  void begin_pass();
  void end_pass();
  bool size_changed();
  Filled fill(std::size_t limit);
  Filled next_packet();
  ReadResult play(std::span<std::uint8_t> buffer);
  ReadResult fail(const std::string& what);
  void take_clock(Packet packet);
  bool due(Clock::time_point now);
  Clock::duration due_offset() const;
  std::uint64_t min_ticks_per_packet() const;
  Clock::time_point due_at() const;
  bool emit(std::uint8_t* out);
  static bool cut(std::uint8_t* packet, std::size_t offset);
  void renumber(std::uint8_t* packet);

  static constexpr std::size_t kChunkSize = 256 << 10;

  const FileOptions options_;
  int file_ = -1;
  bool regular_ = false;
  State state_ = State::closed;
  std::string error_;
  bool locked_ = false;

  // The file and the position in it.
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;    // of the next byte to read
  std::uint64_t tail_begin_ = 0;  // start of the tail window
  std::vector<std::uint8_t> chunk_;
  PacketReader reader_;
  wire::Bytes run_;  // packets of the chunk still to be played

  // The loop.
  std::unique_ptr<LoopSurvey> survey_;
  std::uint64_t passes_ = 0;
  std::uint64_t pass_packets_ = 0;  // read in this pass
  bool in_tail_ = false;
  std::size_t bytes_without_packets_ = 0;  // upper bound of the bytes read since the last packet
  std::uint64_t tail_packets_ = 0;         // the part of pass_packets_ in the tail window
  std::vector<PidState> pids_;
  std::uint64_t total_elapsed_ = 0;  // sum of the file's durations, for TDT and TOT; does not wrap

  // Pacing, in 27 MHz ticks since the start.
  std::uint16_t clock_pid_ = kNullPid;
  std::uint64_t ticks_per_packet_ = 0;
  std::optional<std::uint64_t> clock_;           // last PCR
  std::uint64_t clock_time_ = 0;                 // time_ at that PCR
  std::uint64_t packets_since_ = 0;              // packets since that PCR
  std::uint64_t time_ = 0;                       // of the next packet
  bool timed_ = false;                           // time_ is set for the next packet
  std::optional<Clock::time_point> start_time_;  // wall clock at time 0
};

}  // namespace receiverd::dvb
