// Builds one section: big-endian fields after a long or short header, with section_length and CRC_32 set at the end.
#pragma once

#include <cstdint>
#include <optional>

#include "dvb/section.h"

namespace receiverd::dvb {

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

  /// Sets section_length; with or without a CRC_32 at the end.
  Section finish();
  Section finish_without_crc();

 private:
  Section section_;
};

/// Sets last_section_number in every section and updates its CRC_32: for writers that know it only at the end.
void set_last_section_number(std::vector<Section>& sections);

}  // namespace receiverd::dvb
