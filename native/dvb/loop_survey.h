// Surveys a file before it is played in a loop: finds where each PID starts and ends cleanly, and by how much its
// clocks have to advance with each pass.
//
//   0 ─────── head window ─────── ... ─────── tail window ─────── end of file
//             begin of each PID               end of each PID
//
// Only these two windows are read, so a recording of 100 GB takes no longer than one of 30 MB. Positions are counted in
// packets: `begin` from the start of the file, `end` and `cut` from the start of the tail window.
//
//   begin    of a PES stream: its first PES packet; of video, the first random access point of the head window;
//            of sections: their first payload_unit_start. Anything before it belongs to a truncated unit.
//   end      of a PES stream: its last PES packet, if that is incomplete. With a PES_packet_length, it is complete when
//   it
//            has that many bytes; without one, when its last transport packet has stuffing, which multiplexers
//            insert at the end of an access unit.
//   cut      of sections: the byte at which the last section starts, if that is incomplete.
//   advance  27 MHz ticks between two passes, a multiple of 300: from the first PCR of the file to where the next PCR
//            after its end would have been; a little more if a stream would otherwise get a DTS before its last one.
//            Programs whose clock jumps inside the file have an advance of their own.
//
// Scrambled streams have no visible PES packets, so only their continuity counters are corrected.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/packet.h"
#include "wire/time.h"

namespace receiverd::dvb {

class LoopSurvey {
 public:
  /// Sizes in bytes of the two surveyed windows.
  static constexpr std::size_t kHeadWindow = 16 << 20;
  static constexpr std::size_t kTailWindow = 8 << 20;
  /// Rate in bit/s of streams without PCR and TDT: the rate of SI alone in a typical multiplex.
  static constexpr std::uint64_t kDefaultRate = 2'000'000;

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Where one PID starts and ends in the loop, and how far its clocks advance.
  struct Seam {
    std::uint64_t begin = 0;
    std::uint64_t end = kNever;  ///< this packet and all after it are left out
    std::uint64_t cut = kNever;  ///< this packet is the last one, sent up to cut_offset
    std::uint8_t cut_offset = 0;
    std::uint64_t advance = 0;
  };

  LoopSurvey();
  ~LoopSurvey();

  void head_packet(Packet packet);
  void tail_packet(Packet packet);

  /// Call after both windows. `packets_between` is the number of packets from the start of the head window to the start
  /// of the tail window.
  void finish(std::uint64_t packets_between);

  const Seam& seam(std::uint16_t pid) const { return seams_[pid]; }
  /// The advance of the reference clock: the duration of a pass.
  std::uint64_t advance() const { return advance_; }
  /// The PID whose PCR paces the file: the one with the largest number of PCRs. kNullPid if there is none.
  std::uint16_t clock_pid() const { return clock_pid_; }
  /// Average duration of a packet in 27 MHz ticks, at least 1.
  std::uint64_t ticks_per_packet() const { return ticks_per_packet_; }

 private:
  struct Stream;

  Stream& stream(std::uint16_t pid);
  void find_ticks_per_packet();
  void find_advances(std::uint64_t total);

  std::vector<std::unique_ptr<Stream>> streams_;  // by PID
  std::vector<Seam> seams_;                       // by PID, after finish()
  std::uint64_t advance_ = 0;
  std::uint16_t clock_pid_ = kNullPid;
  std::uint64_t ticks_per_packet_ = 1;
  std::uint64_t packets_between_ = 0;
  std::uint64_t head_packets_ = 0;
  std::uint64_t tail_packets_ = 0;
  struct BroadcastTime {
    std::uint64_t position = 0;
    wire::UnixSeconds utc = 0;
  };
  std::optional<BroadcastTime> first_time_;
  std::optional<BroadcastTime> last_time_;
};

}  // namespace receiverd::dvb
