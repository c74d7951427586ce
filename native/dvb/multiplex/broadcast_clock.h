// The broadcast time: TDT and TOT (EN 300 468 §5.2.5, §5.2.6).
//
// A TOT has a CRC_32, a TDT has none, and a damaged TDT would set the clock of the whole receiver wrong. A TDT far from
// the known time is therefore held back until another TDT, or a TOT, agrees with it. A time that nothing has confirmed
// yet is replaced at once.
//
// Captures that contain only a guide have neither table. For them the time is estimated from the present events (EIT
// present/following, section 0): it must lie inside as many of them as possible, and no earlier than the newest of
// these started. The estimate is therefore the start of the present event that lies inside the largest number of
// present events; among several such starts, the latest. It is exact when an event starts, and then lags until the next
// event of another service starts. Services whose present events are stale are outvoted. The first TDT or TOT ends the
// estimation.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "dvb/multiplex/multiplex_snapshot.h"
#include "dvb/si/eit_section.h"

namespace receiverd::dvb {

class BroadcastClock {
 public:
  /// Maximum number of services used for the estimate; further ones are ignored.
  static constexpr std::size_t kMaxServices = 1024;

  /// Each takes a received time or section, and returns true if time() has a new value. `zone_seconds`: local time of
  /// the section minus UTC.
  bool take_tdt(wire::UnixSeconds utc);
  bool take_tot(wire::UnixSeconds utc);  // or the STT of ATSC, which has a CRC_32, too
  bool take_present_following(const EitSectionHeader& header, wire::Bytes section, std::int32_t zone_seconds = 0);

  const BroadcastTime& time() const { return time_; }

 private:
  struct Present {
    std::uint32_t crc = 0;  // CRC of its section
    wire::UnixSeconds start = 0;
    wire::UnixSeconds end = 0;  // equal to `start`: the event is ignored
  };

  bool receive(BroadcastTime::Origin origin, wire::UnixSeconds utc);
  bool estimate();

  bool is_real() const {
    return time_.origin == BroadcastTime::Origin::tdt || time_.origin == BroadcastTime::Origin::tot;
  }

  BroadcastTime time_;
  bool confirmed_ = false;                            // by a TOT, or by two TDTs that agree
  std::optional<wire::UnixSeconds> unconfirmed_tdt_;  // the TDT waiting for confirmation
  std::map<DvbTriplet, Present> present_;
};

}  // namespace receiverd::dvb
