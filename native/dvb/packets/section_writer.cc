#include "dvb/packets/section_writer.h"

#include <algorithm>
#include <utility>

#include "wire/crc32.h"

namespace receiverd::dvb {

void write_crc(std::span<std::uint8_t> section) {
  const std::uint32_t crc = wire::crc32(section.first(section.size() - kCrcSize));
  for (std::size_t i = 0; i < kCrcSize; ++i) {
    section[section.size() - kCrcSize + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  }
}

SectionWriter::SectionWriter(const SectionHeader& header) {
  u8(header.table_id);
  // private_indicator is 1 ("reserved_future_use") in all SI tables and 0 in PSI (ISO/IEC 13818-1 table 2-30).
  u16(header.table_id < table_id::kNitActual ? 0xB000 : 0xF000);
  u16(header.table_id_extension);
  u8(static_cast<std::uint8_t>(0xC0 | (header.version & 0x1F) << 1 | (header.current ? 1 : 0)));
  u8(header.section_number);
  u8(header.last_section_number);
}

SectionWriter::SectionWriter(std::uint8_t table_id) {
  u8(table_id);
  u16(0x7000);
}

void SectionWriter::u16(std::uint16_t value) {
  u8(static_cast<std::uint8_t>(value >> 8));
  u8(static_cast<std::uint8_t>(value));
}

void SectionWriter::u32(std::uint32_t value) {
  u16(static_cast<std::uint16_t>(value >> 16));
  u16(static_cast<std::uint16_t>(value));
}

void SectionWriter::u40(std::uint64_t value) {
  u8(static_cast<std::uint8_t>(value >> 32));
  u32(static_cast<std::uint32_t>(value));
}

void SectionWriter::loop(wire::Bytes content, std::uint8_t flags) {
  u16(static_cast<std::uint16_t>(flags << 12 | (content.size() & 0x0FFF)));
  bytes(content.first(content.size() & 0x0FFF));
}

void SectionWriter::set_length(std::size_t position, std::size_t length) {
  section_[position] = static_cast<std::uint8_t>((section_[position] & 0xF0) | (length >> 8 & 0x0F));
  section_[position + 1] = static_cast<std::uint8_t>(length);
}

Section SectionWriter::finish() {
  section_.resize(section_.size() + kCrcSize);
  set_length(1, section_.size() - kSectionHeaderSize);
  write_crc(section_);
  return std::move(section_);
}

Section SectionWriter::finish_without_crc() {
  set_length(1, section_.size() - kSectionHeaderSize);
  return std::move(section_);
}

void set_last_section_number(std::vector<Section>& sections) {
  for (Section& section : sections) {
    section[7] = static_cast<std::uint8_t>(sections.size() - 1);
    write_crc(section);
  }
}

namespace {

/// Appends the packets of a section; the first has the continuity counter `counter`. Returns the number of packets.
std::size_t write_packets(wire::Bytes section, std::uint16_t pid, std::size_t counter, bool interrupted,
                          std::vector<std::uint8_t>& packets) {
  const std::size_t begin = packets.size();
  for (bool first = true; first || !section.empty(); first = false, ++counter) {
    const std::size_t at = packets.size();
    packets.resize(at + kPacketSize, 0xFF);
    std::uint8_t* packet = packets.data() + at;
    const bool has_field = first && interrupted;
    packet[0] = kSyncByte;
    packet[1] = static_cast<std::uint8_t>((first ? 0x40 : 0) | (pid >> 8 & 0x1F));
    packet[2] = static_cast<std::uint8_t>(pid);
    packet[3] = static_cast<std::uint8_t>((has_field ? 0x30 : 0x10) | (counter & 0x0F));
    std::size_t head = 4;
    if (has_field) {
      packet[head++] = 1;     // its length
      packet[head++] = 0x80;  // discontinuity_indicator
    }
    if (first) packet[head++] = 0;  // pointer_field
    const std::size_t part = std::min(section.size(), kPacketSize - head);
    std::copy_n(section.begin(), part, packet + head);
    section = section.subspan(part);
  }
  return (packets.size() - begin) / kPacketSize;
}

}  // namespace

void SectionPacketizer::write(wire::Bytes section, std::vector<std::uint8_t>& packets) {
  continuity_ = (continuity_ + write_packets(section, pid_, continuity_, false, packets)) & 0x0F;
}

void write_sent_section(wire::Bytes section, std::uint16_t pid, std::uint8_t last_counter, bool interrupted,
                        std::vector<std::uint8_t>& packets) {
  if (section.empty()) return;
  constexpr std::size_t kPayload = kPacketSize - 4;
  const std::size_t count = ((interrupted ? 3 : 1) + section.size() + kPayload - 1) / kPayload;
  write_packets(section, pid, last_counter + 1U - count, interrupted, packets);
}

void write_null_packet(std::span<std::uint8_t, kPacketSize> packet) {
  std::fill(packet.begin(), packet.end(), std::uint8_t{0xFF});
  packet[0] = kSyncByte;
  packet[1] = kNullPid >> 8;
  packet[2] = kNullPid & 0xFF;
  packet[3] = 0x10;
}

}  // namespace receiverd::dvb
