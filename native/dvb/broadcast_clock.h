// What the stream says the time is: TDT and TOT (EN 300 468 §5.2.5, §5.2.6).
//
// A TOT has a CRC_32, a TDT has none, and a damaged one would set the clock of the whole receiver wrong. So a TDT far
// from what is known waits until the next one, or a TOT, says the same. What nothing has confirmed yet gives way at
// once.
//
// Captures of a guide alone have neither. For them the present events tell it (EIT present/following, section 0): it
// must be a time that lies inside as many of them as possible, and no earlier than the newest of these began. So the
// estimate is, of all starts of present events, the one inside the most present events; of several such, the latest. It
// is right at the moment an event begins and late by at most as long as no service changes its programme. Senders whose
// present events are stale are outvoted. The first TDT or TOT ends all estimating.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "dvb/eit_section.h"
#include "dvb/multiplex_snapshot.h"

namespace receiverd::dvb {

class BroadcastClock {
 public:
  /// Services whose present events take part; further ones are left out.
  static constexpr std::size_t kMaximumServices = 1024;

  /// Each true when time() is a new value.
  bool tdt(wire::UnixSeconds utc);
  bool tot(wire::UnixSeconds utc);
  bool present_following(const EitSectionHeader& header, wire::Bytes section);

  const BroadcastTime& time() const { return time_; }

  /// Starts over, `received` apart.
  void reset();

 private:
  struct Present {
    std::uint32_t crc = 0;  // of the section it is from
    wire::UnixSeconds start = 0;
    wire::UnixSeconds end = 0;  // equal to start: takes no part
  };

  bool receive(BroadcastTime::Origin origin, wire::UnixSeconds utc);
  bool estimate();

  bool is_real() const {
    return time_.origin == BroadcastTime::Origin::tdt || time_.origin == BroadcastTime::Origin::tot;
  }

  BroadcastTime time_;
  bool confirmed_ = false;                       // by a TOT, or by two TDTs that agree
  std::optional<wire::UnixSeconds> unbelieved_;  // the TDT that waits for another
  std::map<DvbTriplet, Present> present_;
};

}  // namespace receiverd::dvb
