// The continuity counter of one PID (ISO/IEC 13818-1 §2.4.3.3). It increases by one with every packet that has a
// payload, may repeat once for a duplicate, and may jump where the adaptation field signals a discontinuity.
#pragma once

#include <cstdint>

#include "dvb/packets/packet.h"

namespace receiverd::dvb {

/// The position of a packet in the sequence of its PID.
enum class Continuity : std::uint8_t {
  first,      ///< nothing to compare with, or a signalled discontinuity: data assembled so far cannot continue
  next,       ///< follows the previous packet
  duplicate,  ///< repeats the previous packet: legal once; ignore it, unless it contains a whole section
  gap,        ///< packets are missing before this one
  no_payload  ///< has no payload, so the counter does not advance
};

class ContinuityCounter {
 public:
  Continuity check(Packet packet) {
    if (packet.has_adaptation_field() && packet.discontinuity_indicator()) state_ = kUnknown;
    if (!packet.has_payload()) return Continuity::no_payload;
    const std::uint8_t counter = packet.continuity_counter();
    const std::uint8_t before = state_;
    state_ = counter;
    if (before == kUnknown) return Continuity::first;
    const std::uint8_t last = before & 0x0F;
    if (counter == ((last + 1) & 0x0F)) return Continuity::next;
    if (counter == last && (before & kDuplicated) == 0) {
      state_ = counter | kDuplicated;
      return Continuity::duplicate;
    }
    return Continuity::gap;
  }

  void reset() { state_ = kUnknown; }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;
  static constexpr std::uint8_t kDuplicated = 0x10;  // a third packet with the same counter is a gap
  std::uint8_t state_ = kUnknown;
};

}  // namespace receiverd::dvb
