// Assembles sections from the packets of one PID (ISO/IEC 13818-1 §2.4.4).
//
// The payload of a packet with payload_unit_start starts with pointer_field. It counts the bytes before the first new
// section, which end the previous section. Sections follow each other without a gap; a table_id of 0xFF means that the
// rest of the packet is stuffing. A section that lies completely in one packet is passed on in place; others are
// assembled in one buffer of 4096 bytes.
//
// The handler receives only whole sections of legal length whose CRC_32 is correct. All sections with
// section_syntax_indicator = 1 have a CRC_32, and so does the TOT. Everything else is counted and dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dvb/packets/continuity.h"
#include "dvb/packets/packet.h"
#include "dvb/packets/section.h"

namespace receiverd::dvb {

/// Numbers of section errors of one PID since the tuner was opened.
struct SectionErrors {
  std::uint32_t lost = 0;       ///< partial section dropped because packets are missing
  std::uint32_t crc = 0;        ///< CRC_32 did not match
  std::uint32_t truncated = 0;  ///< a new section started before this one was complete
  std::uint32_t oversized = 0;  ///< section_length over 4093 (1021 for PAT, CAT, PMT)
  bool operator==(const SectionErrors&) const = default;
};

class SectionAssembler {
 public:
  /// Errors are counted in `errors`, which must outlive the assembler.
  explicit SectionAssembler(SectionErrors& errors) : errors_(errors) {}

  /// Takes the next packet of the PID; `continuity` is the result of ContinuityCounter for it. Calls `handler` for each
  /// section that the packet completes. The packet must not be scrambled or have transport_error set.
  void push(Packet packet, Continuity continuity, SectionHandler& handler);

  /// Drops the partial section without counting an error.
  void reset();
  /// Bytes of the partial section; 0 if there is none.
  std::size_t partial() const { return filled_; }

 private:
  void continue_section(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler);
  void begin_sections(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler);
  bool read_size(wire::Bytes head);
  void deliver(wire::Bytes section, std::uint16_t pid, SectionHandler& handler);

  SectionErrors& errors_;
  std::array<std::uint8_t, kMaxSectionSize> buffer_;
  std::size_t filled_ = 0;    // bytes of the partial section in buffer_; 0: none, wait for payload_unit_start
  std::size_t expected_ = 0;  // its size; 0 until its first three bytes have arrived
};

}  // namespace receiverd::dvb
