// The payload of one PID's packets -> whole sections (ISO/IEC 13818-1 §2.4.4).
//
// A packet with payload_unit_start begins with pointer_field: the bytes up to where the first new section starts, which
// end the section that is under way. Sections follow each other without gap; a table_id of 0xFF means that the rest of
// the packet is stuffing. A section that lies whole in one packet is handed out in place; others are put together in
// one buffer of 4096 bytes.
//
// What is handed out is whole, has a legal length, and a right CRC_32 where it has one: all sections with
// section_syntax_indicator = 1, and the TOT. Everything else is counted and dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dvb/continuity.h"
#include "dvb/packet.h"
#include "dvb/section.h"

namespace receiverd::dvb {

/// What went wrong with the sections of one PID since the tuner was opened. Counted, never logged one by one.
struct SectionErrors {
  std::uint32_t lost = 0;       ///< section under way dropped because packets are missing
  std::uint32_t crc = 0;        ///< CRC_32 did not match
  std::uint32_t truncated = 0;  ///< a new section began before this one was whole
  std::uint32_t oversized = 0;  ///< section_length over 4093 (1021 for PAT, CAT, PMT)
  bool operator==(const SectionErrors&) const = default;
};

class SectionAssembler {
 public:
  /// Takes the next packet of the PID; `continuity` is what ContinuityCounter says of it. Hands each section that
  /// becomes whole to `handler` before it returns. Packets with transport_error or scrambled ones must not be given.
  void push(Packet packet, Continuity continuity, SectionHandler& handler);

  /// Drops what is under way, uncounted.
  void reset();

  const SectionErrors& errors() const { return errors_; }
  std::uint64_t sections() const { return sections_; }

 private:
  void continue_section(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler);
  void begin_sections(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler);
  bool learn_size(wire::Bytes head);
  void hand_out(wire::Bytes section, std::uint16_t pid, SectionHandler& handler);

  std::array<std::uint8_t, kMaximumSectionSize> buffer_;
  std::size_t filled_ = 0;    // bytes of the section under way in buffer_; 0: none, wait for payload_unit_start
  std::size_t expected_ = 0;  // its size; 0 while the three bytes that tell it are not there
  SectionErrors errors_;
  std::uint64_t sections_ = 0;
};

}  // namespace receiverd::dvb
