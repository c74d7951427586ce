// What the service information says of the tuned multiplex, as one picture.
//
// `Multiplex` sits on the demux, collects PAT, PMTs, SDT, NIT, BAT and TDT/TOT, and merges them into a
// MultiplexSnapshot. Any of them may be missing: a capture may have only EIT, only SI, or no SDT. A table of several
// sections counts from its first section on, so that short captures show what they have; when a new version begins, the
// last complete one stays until the new one is complete.
//
// Hostile streams meet the bounds of si_tables.h; what comes beyond is refused and counted in ignored().
//
// A section that says what is already known is recognised by its CRC_32 and costs no more than that.
//
// The clock is that of TDT and TOT, or an estimate while there is neither: see broadcast_clock.h.
//
// Threads. publish() and all callbacks run on the tuner thread, which owns the object. snapshot() and broadcast_time()
// may be called from any thread: the snapshot is immutable and swapped as a whole under a lock held for the swap only.
#pragma once

#include <cstdint>
#include <memory>

#include "dvb/demux.h"
#include "dvb/multiplex_snapshot.h"
#include "dvb/section_sink.h"

namespace receiverd::dvb {

/// Called on the tuner thread by Multiplex::publish(); must not wait.
class MultiplexObserver {
 public:
  virtual ~MultiplexObserver() = default;
  virtual void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& snapshot) = 0;
  virtual void broadcast_time(const BroadcastTime& time) = 0;
};

class Multiplex {
 public:
  /// Subscribes to the SI PIDs of `demux`, and to PMT PIDs as the PAT names them. `eit` and `observer` may be null; all
  /// must outlive the object.
  Multiplex(Demux& demux, EitSink* eit, MultiplexObserver* observer);
  ~Multiplex();
  Multiplex(const Multiplex&) = delete;
  Multiplex& operator=(const Multiplex&) = delete;

  /// Publishes what has changed since the last call and tells the observer. To be called on the tuner thread after each
  /// chunk given to the demux: pictures are made once a chunk, not once a section.
  void publish();

  /// Forgets all tables and the clock: after a retune. The generation goes on rising.
  void reset();

  /// Thread-safe; never null.
  std::shared_ptr<const MultiplexSnapshot> snapshot() const;
  BroadcastTime broadcast_time() const;

  /// Sections that were refused: not what their table_id demands, or over a bound. On the tuner thread.
  std::uint64_t ignored() const;

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
};

}  // namespace receiverd::dvb
