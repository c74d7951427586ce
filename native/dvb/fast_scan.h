// Reads the list of a satellite operator from the PID on which it sends one ("fast scan"): the services of all of its
// multiplexes, with their names, numbers and how to tune them, within seconds.
//
//   table_id 0xBC   as a NIT: network name; for each transport stream a delivery system and logical channels (0x83),
//                   of which a number has 14 bits and bit 14 hides the service
//   table_id 0xBD   the services: identity, PIDs, service descriptor (FastScanServices of tables.h)
//
// No standard describes it; the layout is what receivers agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dvb/demux.h"
#include "dvb/multiplex_snapshot.h"
#include "dvb/si_tables.h"

namespace receiverd::dvb {

/// Owned by one thread.
class FastScan : private SectionHandler {
 public:
  explicit FastScan(std::uint16_t pid) { demux_.add_handler(pid, *this); }
  FastScan(const FastScan&) = delete;
  FastScan& operator=(const FastScan&) = delete;

  /// Takes whole packets in order. Returns true once both tables are complete.
  bool feed(wire::Bytes packets);

  /// What the operator lists, as a multiplex whose services are on several transport streams: `network`,
  /// `transport_streams`, `services`. Empty until feed() has returned true.
  MultiplexSnapshot result() const;

 private:
  /// Sections of both tables together; an operator's have some 100 KiB.
  static constexpr std::size_t kMaximumBytes = 2U << 20;

  void section(wire::Bytes section, std::uint16_t pid) override;
  bool complete() const { return networks_.complete() && services_.complete(); }

  Demux demux_;
  SubTable networks_;
  SubTable services_;
  std::optional<std::uint16_t> operator_;  ///< table_id_extension of the first section; others are left alone
};

}  // namespace receiverd::dvb
