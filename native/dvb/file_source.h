// A tuner source that plays a transport stream file or a pipe: paced by its PCR, and looped seamlessly.
//
//   read chunk of the file ─► PacketReader ─► at the seam: leave out, shift clocks, renumber ─► due? ─► caller's buffer
//
// Pace (ISO/IEC 13818-1 §2.4.2). The PID with the most PCRs sets the time. Between two PCRs a packet takes as long as
// the packets before. A PCR jump, backwards or by more than three seconds, takes no time. Without any PCR the stream
// runs at the rate derived from its TDT/TOT, or at LoopSurvey::kDefaultRate. If the caller or the pipe was late by more
// than a second, the lost time is not made up. What a pipe has ready goes out up to two seconds before its time.
//
// Loop (regular files). From the second turn on, each PID starts where LoopSurvey found a clean place, and at the end
// of each turn it ends at one. Continuity counters continue from turn to turn; gaps inside the file remain. PCR, OPCR,
// PTS and DTS, and the time in TDT and TOT, advance by the duration of the file at each turn. Omitted packets that
// carry a PCR are sent without their payload. If the file size changes during playback, the file is surveyed again at
// the next turn.
//
// Memory: one chunk of the file. The file is read, never mapped: if it is truncated, the turn ends earlier. Owned by
// one thread; nothing is opened before the first read().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dvb/loop_survey.h"
#include "dvb/packet_reader.h"
#include "dvb/source.h"

namespace receiverd::dvb {

struct FileOptions {
  std::string path;
  bool loop = true;   ///< start again at the end; a pipe always ends
  bool paced = true;  ///< in real time; false: as fast as read() is called
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
  bool repeats() const override { return turn_ != 0; }
  std::string error() const override { return error_; }

  /// The number of times the file has started again.
  std::uint64_t turns() const { return turn_; }

 private:
  enum class State : std::uint8_t { closed, head, tail, playing, over, failed };
  enum class Filled : std::uint8_t { yes, wait, end, error };
  using Clock = std::chrono::steady_clock;
  struct PidState {
    std::optional<std::uint8_t> counter;  // last continuity counter sent
    std::uint8_t renumbered = 0;          // offset added to them in this turn
    bool seen = false;                    // in this turn
    std::uint64_t elapsed = 0;            // 27 MHz ticks by which the clocks have advanced so far
  };

  void open();
  void begin_survey();
  void survey_chunk();
  void survey_window_done();
  void begin_turn();
  void end_turn();
  bool size_changed();
  Filled fill(std::size_t limit);
  Filled next_packet();
  ReadResult play(std::span<std::uint8_t> buffer);
  ReadResult fail(const std::string& what);
  void take_clock(Packet packet);
  bool due(Clock::time_point now);
  Clock::duration due_after() const;
  std::uint64_t least_ticks() const;
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
  std::uint64_t turn_ = 0;
  std::uint64_t turn_packets_ = 0;  // read in this turn
  bool in_tail_ = false;
  std::size_t without_packets_ = 0;  // bytes read since the last packet, at most
  std::uint64_t tail_packets_ = 0;   // those of them in the tail window
  std::vector<PidState> pids_;
  std::uint64_t total_elapsed_ = 0;  // the same for the whole file, for TDT and TOT; does not wrap

  // The pace, in 27 MHz ticks since the start.
  std::uint16_t clock_pid_ = kNullPid;
  std::uint64_t ticks_per_packet_ = 0;
  std::optional<std::uint64_t> clock_;      // last PCR
  std::uint64_t clock_time_ = 0;            // its time
  std::uint64_t packets_since_ = 0;         // since that PCR
  std::uint64_t time_ = 0;                  // of the next packet
  bool timed_ = false;                      // time_ is set for the next packet
  std::optional<Clock::time_point> begin_;  // wall clock at time 0
};

}  // namespace receiverd::dvb
