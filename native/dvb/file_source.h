// A transport stream file or a pipe as a tuner's source: paced by its PCR, played in a loop without a seam.
//
//   read chunk of the file ─► PacketReader ─► at the seam: leave out, move clocks, renumber ─► due? ─► caller's buffer
//
// Pace (ISO/IEC 13818-1 §2.4.2). The PID that sends most PCRs gives the time; between two PCRs a packet takes as long
// as the ones before. A jump of the PCR by more than a second takes no time. Without any PCR the stream runs at the
// rate that its TDT/TOT tell, else at LoopSurvey::kDefaultRate. When the caller or the pipe was late by more than a
// second, the time lost is not made up.
//
// Loop (regular files). From the second turn on each PID begins, and at the end of each turn it ends, where LoopSurvey
// found a clean place. Continuity counters go on from turn to turn; gaps inside the file stay as they are. PCR, OPCR,
// PTS and DTS, and the time in TDT and TOT, move on by the duration of the file at each turn. Packets left out that
// carry a PCR stay as packets without payload. A file that changes its size while it plays is looked at again at the
// next turn.
//
// Memory: one chunk of the file. The file is read, never mapped: if it becomes shorter the turn ends earlier.
// Owned by one thread; nothing is opened before the first read().
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dvb/loop_survey.h"
#include "dvb/packet_reader.h"
#include "dvb/source.h"

namespace receiverd::dvb {

struct FileOptions {
  std::string path;
  bool loop = true;   ///< begin again at the end; a pipe ends in any case
  bool paced = true;  ///< in real time; false: as fast as read() is called
};

class FileSource final : public Source {
 public:
  explicit FileSource(FileOptions options);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// Gives whole 188-byte packets, whatever the distance of packets in the file.
  ReadResult read(std::span<std::uint8_t> buffer) override;
  /// Locked while packets come; nothing else can be measured.
  SignalQuality signal() const override { return {.locked = locked_}; }
  std::string error() const override { return error_; }

  /// How often the file has begun again.
  std::uint64_t turns() const { return turn_; }

 private:
  enum class State : std::uint8_t { closed, head, tail, playing, over, failed };
  enum class Filled : std::uint8_t { yes, wait, end, error };
  using Clock = std::chrono::steady_clock;

  bool open();
  void begin_survey();
  void survey_chunk();
  void survey_window_done();
  void begin_turn();
  void end_turn();
  bool size_changed();
  Filled fill(std::size_t limit);
  Filled fill_from_pipe();
  Filled next_packet();
  ReadResult play(std::span<std::uint8_t> buffer);
  ReadResult fail(const std::string& what);
  void take_clock(Packet packet);
  bool due(Clock::time_point now);
  bool emit(std::uint8_t* out);
  static bool cut(std::uint8_t* packet, std::size_t offset);
  void renumber(std::uint8_t* packet);

  static constexpr std::size_t kChunkSize = 256 << 10;
  static constexpr std::uint8_t kNoCounter = 0xFF;

  const FileOptions options_;
  int file_ = -1;
  bool regular_ = false;
  State state_ = State::closed;
  std::string error_;
  bool locked_ = false;

  // The file and where it stands.
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;    // of the next byte to read
  std::uint64_t tail_begin_ = 0;  // where the tail window begins
  std::vector<std::uint8_t> chunk_;
  PacketReader reader_;
  wire::Bytes run_;  // packets of the chunk that are still to go

  // The loop.
  std::unique_ptr<LoopSurvey> survey_;
  std::uint64_t turn_ = 0;
  std::uint64_t turn_packets_ = 0;  // taken in this turn
  bool in_tail_ = false;
  std::uint64_t tail_packets_ = 0;        // of them, in the tail window
  std::vector<std::uint8_t> counter_;     // last continuity counter sent, by PID
  std::vector<std::uint8_t> renumbered_;  // what is added to them in this turn, by PID
  std::vector<bool> seen_;                // in this turn, by PID
  std::vector<std::uint64_t> elapsed_;    // 27 MHz ticks the clocks have moved so far, by PID
  std::uint64_t total_elapsed_ = 0;       // of the file, for TDT and TOT; does not wrap

  // The pace, in 27 MHz ticks since the begin.
  std::uint16_t clock_pid_ = kNullPid;
  std::uint64_t ticks_per_packet_ = 0;
  bool has_clock_ = false;
  std::uint64_t clock_ = 0;          // last PCR
  std::uint64_t clock_time_ = 0;     // its time
  std::uint64_t packets_since_ = 0;  // since that PCR
  std::uint64_t time_ = 0;           // of the packet that is next
  bool timed_ = false;               // time_ is that of the packet that is next
  Clock::time_point begin_{};        // wall clock at time 0
  bool begun_ = false;
};

}  // namespace receiverd::dvb
