// Packs one elementary stream into transport packets (ISO/IEC 13818-1 §2.4.3): PES packets of access units, PCR if the
// PID carries it, random_access_indicator, stuffing.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/packets/packet.h"
#include "wire/bytes.h"

namespace receiverd::demo {

class ElementaryOutput {
 public:
  explicit ElementaryOutput(std::uint16_t pid) : pid_(pid) {}

  bool is_idle() const { return sent_ >= pes_.size(); }

  /// Starts a PES packet. `pts` is in 90 kHz ticks; there is no DTS, since there are no B pictures.
  void begin(std::uint8_t stream_id, std::int64_t pts, bool random_access);
  /// Adds an access unit to the PES packet, before the first write().
  void append(wire::Bytes unit);

  /// Writes the next transport packet of the PES packet into 188 bytes. `pcr` is in 27 MHz ticks; negative: no PCR.
  void write(std::uint8_t* packet, std::int64_t pcr, bool discontinuity);

  /// Writes a transport packet with a PCR only; the continuity counter does not advance (§2.4.3.3).
  void write_pcr_only(std::uint8_t* packet, std::int64_t pcr, bool discontinuity) const;

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
  bool random_access_ = false;
  std::vector<std::uint8_t> pes_;
  std::size_t sent_ = 0;
};

}  // namespace receiverd::demo
