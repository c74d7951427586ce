// Reorders packets so that those of each PES packet are contiguous: the stream can then be split between any two PES
// packets, and no picture or audio frame is split. Packets of other PIDs that arrive meanwhile go first. The order
// within a PID does not change, and neither do continuity counters. A PES packet of unknown length (video) ends where
// the next one of its PID starts, so it is held for the duration of a picture.
//
// Owned by the thread of a ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "dvb/packets/packet.h"

namespace receiverd::recording {

class PesOrder {
 public:
  /// Bytes held of all PIDs together, enough for a few large pictures. Beyond it, all of them are released incomplete.
  static constexpr std::size_t kMaxHeldBytes = 16384 * dvb::kPacketSize;

  /// Takes a packet, and appends PES packets that are complete to `out`.
  void push(dvb::Packet packet, std::vector<std::uint8_t>& out);
  /// Appends everything held, complete or not: at the end of the stream.
  void flush(std::vector<std::uint8_t>& out);

 private:
  struct Unit {
    std::vector<std::uint8_t> packets;  // of the current PES packet; its memory is reused
    std::size_t missing = 0;            // bytes of the PES packet still to come; 0 if its length is unknown
  };

  void release(Unit& unit, std::vector<std::uint8_t>& out);

  std::map<std::uint16_t, Unit> units_;  // by PID
  std::size_t held_ = 0;
};

}  // namespace receiverd::recording
