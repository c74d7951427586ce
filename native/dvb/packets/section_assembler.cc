#include "dvb/packets/section_assembler.h"

#include <algorithm>

#include "wire/crc32.h"

namespace receiverd::dvb {
namespace {

/// Maximum size in bytes of a section with this table_id: 1024 for PAT, CAT, PMT and TSDT. NIT, SDT and BAT should have
/// the same limit (EN 300 468 §5.2), but some networks send longer sections, whose CRC_32 is correct.
std::size_t max_section_size(std::uint8_t id) { return id <= 0x03 ? kMaxPsiSectionSize : kMaxSectionSize; }

bool has_crc(wire::Bytes section) { return (section[1] & 0x80) != 0 || section[0] == table_id::kTot; }

}  // namespace

void SectionAssembler::reset() {
  filled_ = 0;
  expected_ = 0;
}

void SectionAssembler::push(Packet packet, Continuity continuity, SectionHandler& handler) {
  switch (continuity) {
    case Continuity::no_payload:
      return;
    case Continuity::duplicate:
      // It may be another section: in a concatenated stream, each part may start to count at 0.
      if (filled_ > 0 || !packet.payload_unit_start()) return;
      break;
    case Continuity::gap:
      if (filled_ > 0) ++errors_.lost;
      reset();
      break;
    case Continuity::first:
      reset();
      break;
    case Continuity::next:
      break;
  }
  wire::Bytes payload = packet.payload();
  if (payload.empty()) return;
  const std::uint16_t pid = packet.pid();
  if (!packet.payload_unit_start()) {
    if (filled_ > 0) continue_section(payload, pid, handler);
    return;
  }
  const std::size_t pointer = payload[0];
  payload = payload.subspan(1);
  if (filled_ > 0) continue_section(payload.first(std::min(pointer, payload.size())), pid, handler);
  if (filled_ > 0) {
    ++errors_.truncated;
    reset();
  }
  if (pointer < payload.size()) begin_sections(payload.subspan(pointer), pid, handler);
}

/// Sets expected_ from the first three bytes. Returns false, and drops the section, if its length is not legal.
bool SectionAssembler::read_size(wire::Bytes head) {
  expected_ = section_size(head);
  if (expected_ <= max_section_size(head[0])) return true;
  ++errors_.oversized;
  reset();
  return false;
}

void SectionAssembler::continue_section(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler) {
  const auto take = [&](std::size_t until) {
    const std::size_t count = std::min(until - filled_, bytes.size());
    std::copy_n(bytes.begin(), count, buffer_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += count;
    bytes = bytes.subspan(count);
    return filled_ == until;
  };
  if (expected_ == 0 && (!take(kSectionHeaderSize) || !read_size(buffer_))) return;
  if (!take(expected_)) return;
  reset();
  deliver(wire::Bytes(buffer_).first(section_size(buffer_)), pid, handler);
}

void SectionAssembler::begin_sections(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler) {
  while (!bytes.empty() && bytes[0] != table_id::kStuffing) {
    expected_ = 0;
    if (bytes.size() >= kSectionHeaderSize && !read_size(bytes)) return;
    if (expected_ == 0 || expected_ > bytes.size()) {
      std::copy(bytes.begin(), bytes.end(), buffer_.begin());
      filled_ = bytes.size();
      return;
    }
    const wire::Bytes section = bytes.first(expected_);
    bytes = bytes.subspan(expected_);
    expected_ = 0;
    deliver(section, pid, handler);
  }
}

void SectionAssembler::deliver(wire::Bytes section, std::uint16_t pid, SectionHandler& handler) {
  if (has_crc(section) && wire::crc32(section) != 0) {
    ++errors_.crc;
    return;
  }
  handler.section(section, pid);
}

}  // namespace receiverd::dvb
