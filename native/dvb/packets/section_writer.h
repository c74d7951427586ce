// Builds sections, and splits them into transport packets (ISO/IEC 13818-1 §2.4.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dvb/packets/packet.h"
#include "dvb/packets/section.h"

namespace receiverd::dvb {

/// Builds one section: big-endian fields after a long or short header, with section_length and CRC_32 set at the end.
class SectionWriter {
 public:
  /// A long section with its header.
  explicit SectionWriter(const SectionHeader& header);
  /// A short section (TDT, TOT): table_id and length only.
  explicit SectionWriter(std::uint8_t table_id);

  void u8(std::uint8_t value) { section_.push_back(value); }
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u40(std::uint64_t value);
  void bytes(wire::Bytes bytes) { section_.insert(section_.end(), bytes.begin(), bytes.end()); }
  /// A 12-bit length below the four bits `flags`, then the bytes.
  void loop(wire::Bytes bytes, std::uint8_t flags = 0xF);

  std::size_t size() const { return section_.size(); }
  /// Removes everything from `size` on.
  void cut(std::size_t size) { section_.resize(size); }
  /// Writes a 12-bit length at `position` (two bytes written before, upper four bits kept).
  void set_length(std::size_t position, std::size_t length);

  /// Sets section_length, with or without a CRC_32 at the end, and returns the section.
  Section finish();
  Section finish_without_crc();

 private:
  Section section_;
};

/// Sets the CRC_32 at the end of a section.
void write_crc(std::span<std::uint8_t> section);

/// Sets last_section_number in every section and updates CRC_32: for writers that know the number only at the end.
void set_last_section_number(std::vector<Section>& sections);

/// Splits sections into the packets of one PID: the inverse of SectionAssembler.
class SectionPacketizer {
 public:
  explicit SectionPacketizer(std::uint16_t pid) : pid_(pid) {}

  /// Appends the packets of one section to `packets`. The section starts a packet (pointer_field 0), and the last
  /// packet is filled up with 0xFF. The continuity counter continues from call to call.
  void write(wire::Bytes section, std::vector<std::uint8_t>& packets);

  std::uint16_t pid() const { return pid_; }
  /// The continuity counter of the last packet.
  std::uint8_t last_counter() const { return (continuity_ - 1) & 0x0F; }

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
};

/// Appends the packets of a section that was sent before, to be inserted ahead of packets of the same PID. They do not
/// advance the continuity counter of the PID: the last packet has the value `last_counter`. With `interrupted`, the
/// first packet has the discontinuity_indicator set (ISO/IEC 13818-1 §2.4.3.5). Appends nothing for an empty section.
void write_sent_section(wire::Bytes section, std::uint16_t pid, std::uint8_t last_counter, bool interrupted,
                        std::vector<std::uint8_t>& packets);

/// Turns `packet` into a null packet (ISO/IEC 13818-1 §2.4.3.3, PID 0x1FFF).
void write_null_packet(std::span<std::uint8_t, kPacketSize> packet);

}  // namespace receiverd::dvb
