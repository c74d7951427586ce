// Extracts the sections of the wanted PIDs from transport packets, and counts the packets of every PID.
//
// A table of 8192 entries maps a PID to its slot. A slot is created when its PID is first seen, so memory follows the
// multiplex (41 PIDs are usual) and is bounded by the number of PIDs. Nothing is allocated per packet. A packet of a
// PID without a handler costs only its header: one table look-up and the continuity counter.
//
// Owned by one thread, the one that feeds it. Handlers may add and remove handlers while they run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dvb/packets/continuity.h"
#include "dvb/packets/section.h"
#include "dvb/packets/section_assembler.h"

namespace receiverd::dvb {

/// What arrived on one PID since the demux was created.
struct PidStatistics {
  std::uint16_t pid = 0;
  std::uint64_t packets = 0;
  std::uint64_t continuity_errors = 0;  ///< gaps; not counted on the null PID
  std::uint64_t duplicates = 0;
  std::uint64_t transport_errors = 0;  ///< transport_error_indicator set; such packets are dropped
  std::uint64_t scrambled = 0;
  std::uint64_t sections = 0;  ///< complete sections with a correct CRC_32, on PIDs with a handler
  SectionErrors section_errors;
};

class Demux {
 public:
  Demux();
  ~Demux();
  Demux(const Demux&) = delete;
  Demux& operator=(const Demux&) = delete;

  /// Passes the sections of `pid` to `handler` from now on. Several handlers may share a PID; adding one twice has no
  /// effect. The handler must outlive the demux or be removed.
  void add_handler(std::uint16_t pid, SectionHandler& handler);
  void remove_handler(std::uint16_t pid, SectionHandler& handler);

  /// The PIDs that have a handler, in order.
  std::vector<std::uint16_t> wanted_pids() const;
  /// Increases whenever wanted_pids() changes.
  std::uint64_t wanted_revision() const { return wanted_revision_; }

  /// Processes whole packets from PacketReader: a multiple of 188 bytes (a remainder is ignored).
  void feed(wire::Bytes packets);

  /// Resets section assembly and continuity counters of all PIDs without counting an error: after a seek or a retune.
  void discontinuity();
  /// Like discontinuity(), but for one PID that was not delivered for a while. kWholeMultiplex: all PIDs.
  void restart(std::uint16_t pid);

  /// Totals over all PIDs; `pid` is kNullPid.
  PidStatistics totals() const;
  /// All PIDs seen so far, in order.
  std::vector<PidStatistics> statistics() const;

 private:
  struct Slot;
  Slot& slot_of(std::uint16_t pid);
  Slot& make_slot(std::uint16_t pid);
  void take(Packet packet);

  std::uint64_t wanted_revision_ = 0;
  static constexpr std::uint16_t kNoSlot = 0xFFFF;
  std::array<std::uint16_t, kPidCount> slot_of_pid_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace receiverd::dvb
