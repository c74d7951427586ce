// The state of the tuned multiplex, collected from its service information.
//
// `Multiplex` subscribes to the demux, collects PAT, PMTs, SDT, NIT, BAT and TDT/TOT, and merges them into a
// MultiplexSnapshot. Any of them may be missing: a capture may have only EIT, only SI, or no SDT. A table of several
// sections is used from its first section on, so that short captures show what they contain. When a new version starts,
// the last complete version stays in use until the new one is complete.
//
// The bounds in si_tables.h protect against hostile streams; sections beyond them are refused and counted in ignored().
// A repeated section is recognised by its CRC_32 and not parsed again.
//
// The clock follows TDT and TOT, or the STT of ATSC. Without them it is an estimate: see broadcast_clock.h.
//
// Threads. The tuner thread owns the object, and all callbacks run on it. A published snapshot is immutable, so any
// thread may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "dvb/multiplex/broadcast_clock.h"
#include "dvb/multiplex/demux.h"
#include "dvb/multiplex/guide_progress.h"
#include "dvb/multiplex/multiplex_snapshot.h"
#include "dvb/multiplex/snapshot_builder.h"
#include "dvb/si/atsc_tables.h"
#include "dvb/si/si_tables.h"
#include "epg/atsc/psip_decoder.h"
#include "wire/bytes.h"

namespace receiverd::dvb {

/// Called on the tuner thread; must not block.
class MultiplexObserver {
 public:
  virtual ~MultiplexObserver() = default;
  /// Called by publish().
  virtual void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& snapshot) = 0;
  virtual void broadcast_time(const BroadcastTime& time) = 0;
  /// A whole EIT section (table_id 0x4E..0x6F), CRC checked, repetitions included. Valid only during the call. `rules`:
  /// how to read it, as far as is known yet.
  virtual void eit_section(wire::Bytes section, const epg::SiRules& rules) = 0;
  /// A whole EIT, ETT or RRT section of PSIP, likewise.
  virtual void psip_section(wire::Bytes /*section*/, const epg::PsipOrigin& /*origin*/) {}
};

class Multiplex : private SectionHandler {
 public:
  /// Subscribes to the SI PIDs of `demux`, and to the PMT PIDs listed in the PAT. `demux` and `observer` must outlive
  /// this object.
  Multiplex(Demux& demux, MultiplexObserver& observer);
  ~Multiplex() override;
  Multiplex(const Multiplex&) = delete;
  Multiplex& operator=(const Multiplex&) = delete;

  /// Publishes the changes since the last call and notifies the observer. Call it on the tuner thread after each chunk
  /// fed to the demux, so that a snapshot is built at most once per chunk, not once per section.
  void publish();

  /// Call when a finite source has been read once: sets `exhausted` in all later snapshots.
  void mark_exhausted();

  /// Calls `take` for each received section of the PAT and of the service's PMT, so that a new reader need not wait for
  /// the next ones. Waiting takes up to a second in slow multiplexes.
  void visit_psi(std::uint16_t service_id,
                 const std::function<void(wire::Bytes section, std::uint16_t pid)>& take) const;

  /// Which parts of the guide have been received.
  const GuideProgress& guide() const { return guide_; }

  /// Number of refused sections: malformed for their table_id, on a PID where they do not belong, or beyond a limit.
  std::uint64_t ignored() const { return ignored_; }

 private:
  void section(wire::Bytes section, std::uint16_t pid) override;
  void guide_section(wire::Bytes section);
  void take_tot(wire::Bytes section, wire::UnixSeconds time);
  bool psip_section(wire::Bytes section, std::uint16_t pid);
  void psip_guide_section(wire::Bytes section, std::uint16_t pid);
  void follow_pids();

  Demux& demux_;
  MultiplexObserver& observer_;
  SiTables tables_;
  SnapshotBuilder builder_;
  std::shared_ptr<const MultiplexSnapshot> snapshot_ = std::make_shared<const MultiplexSnapshot>();  // last published
  BroadcastClock clock_;
  GuideProgress guide_;
  std::uint64_t received_ = 0;        // BroadcastTime::received of the time last published
  std::set<std::uint16_t> followed_;  // PIDs subscribed to, other than 0
  // PIDs of EIT and ETT of PSIP, with the number k of EIT-k; kNoEit for an ETT.
  std::map<std::uint16_t, std::uint8_t> psip_pids_;
  std::uint8_t last_eit_ = 0;  // the highest of these numbers
  std::uint8_t gps_utc_offset_ = epg::PsipOrigin{}.gps_utc_offset;
  bool changed_ = false;
  bool exhausted_ = false;
  std::uint64_t ignored_ = 0;
};

}  // namespace receiverd::dvb
