// Reads a satellite operator's service list ("fast scan") from the PID that carries it: the services of all of the
// operator's multiplexes, with names, channel numbers and tuning parameters, within seconds.
//
//   table_id 0xBC   like a NIT: network name; for each transport stream a delivery system and logical channels (0x83)
//                   with 14-bit numbers, where bit 14 of the entry hides the service
//   table_id 0xBD   the services: identity, PIDs, service descriptor (FastScanServices of tables.h)
//
// No standard describes it; the layout is the one that other receivers use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dvb/multiplex/demux.h"
#include "dvb/multiplex/multiplex_snapshot.h"
#include "dvb/si/si_tables.h"

namespace receiverd::dvb {

/// Owned by one thread.
class FastScan : private SectionHandler {
 public:
  explicit FastScan(std::uint16_t pid) { demux_.add_handler(pid, *this); }
  FastScan(const FastScan&) = delete;
  FastScan& operator=(const FastScan&) = delete;

  /// Takes whole packets in order. Returns true once both tables are complete.
  bool feed(wire::Bytes packets);

  /// The list as a multiplex whose services are on several transport streams: `network`, `transport_streams` and
  /// `services` are set. Empty until feed() has returned true.
  MultiplexSnapshot result() const;

 private:
  /// Bound for the sections of both tables together; usual lists have some 100 KiB.
  static constexpr std::size_t kMaxBytes = 2U << 20;

  void section(wire::Bytes section, std::uint16_t pid) override;
  bool complete() const { return networks_.complete() && services_.complete(); }

  Demux demux_;
  SubTable networks_;
  SubTable services_;
  std::optional<std::uint16_t> operator_;  ///< table_id_extension of the first section; sections of others are ignored
};

}  // namespace receiverd::dvb
