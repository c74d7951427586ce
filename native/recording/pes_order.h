// Puts the packets of each PES packet next to each other, so that a stream can be cut between any two of them without
// tearing a picture or a frame of sound. Packets of other PIDs that arrive meanwhile go first. The order within a PID
// does not change, so continuity counters do not either. A PES packet of unknown length (video) ends where the next one
// of its PID begins: it is held for a picture longer.
//
// Owned by the thread of a ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "dvb/packet.h"

namespace receiverd::recording {

class PesOrder {
 public:
  /// Bytes held of all PIDs; when there are more, all go on as they are: a few large pictures.
  static constexpr std::size_t kMostHeld = 16384 * dvb::kPacketSize;

  /// Takes a packet and appends to `out` what is complete.
  void push(dvb::Packet packet, std::vector<std::uint8_t>& out);
  /// Appends what is held, complete or not: the stream has ended.
  void flush(std::vector<std::uint8_t>& out);

 private:
  struct Unit {
    std::vector<std::uint8_t> packets;  // empty between units; its memory stays
    std::size_t missing = 0;            // bytes of the PES packet still to come; 0 if its length is unknown
  };

  void release(Unit& unit, std::vector<std::uint8_t>& out);

  std::map<std::uint16_t, Unit> units_;  // by PID
  std::size_t held_ = 0;
};

}  // namespace receiverd::recording
