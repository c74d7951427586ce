// The continuity counter of one PID (ISO/IEC 13818-1 §2.4.3.3): rises by one with every packet that has payload, may be
// repeated once for a duplicate, may jump where the adaptation field announces it.
#pragma once

#include <cstdint>

#include "dvb/packet.h"

namespace receiverd::dvb {

/// What a packet is in the sequence of its PID.
enum class Continuity : std::uint8_t {
  first,      ///< nothing to compare with, or an announced discontinuity: what was begun before cannot go on
  next,       ///< follows the one before
  duplicate,  ///< the packet before once more: legal once, to be ignored
  gap,        ///< packets are missing before this one
  no_payload  ///< carries no payload and does not count
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
  static constexpr std::uint8_t kDuplicated = 0x10;  // a third packet with one counter is a gap
  std::uint8_t state_ = kUnknown;
};

}  // namespace receiverd::dvb
