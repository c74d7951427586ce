#include "dvb/section_assembler.h"

#include <algorithm>

#include "wire/crc32.h"

namespace receiverd::dvb {
namespace {

/// PAT, CAT, PMT and TSDT are limited to 1024 bytes. NIT, SDT and BAT should be too (EN 300 468 §5.2), but some
/// networks send longer ones; their CRC_32 shows whether they are intended.
std::size_t largest_section(std::uint8_t id) { return id <= 0x03 ? kMaximumPsiSectionSize : kMaximumSectionSize; }

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
      // Another section perhaps: where a stream is put together, each part may begin to count at 0.
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
bool SectionAssembler::learn_size(wire::Bytes head) {
  expected_ = section_size(head);
  if (expected_ <= largest_section(head[0])) return true;
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
  if (expected_ == 0 && (!take(kSectionHeaderSize) || !learn_size(buffer_))) return;
  if (!take(expected_)) return;
  reset();
  hand_out(wire::Bytes(buffer_).first(section_size(buffer_)), pid, handler);
}

void SectionAssembler::begin_sections(wire::Bytes bytes, std::uint16_t pid, SectionHandler& handler) {
  while (!bytes.empty() && bytes[0] != table_id::kStuffing) {
    expected_ = 0;
    if (bytes.size() >= kSectionHeaderSize && !learn_size(bytes)) return;
    if (expected_ == 0 || expected_ > bytes.size()) {
      std::copy(bytes.begin(), bytes.end(), buffer_.begin());
      filled_ = bytes.size();
      return;
    }
    const wire::Bytes section = bytes.first(expected_);
    bytes = bytes.subspan(expected_);
    expected_ = 0;
    hand_out(section, pid, handler);
  }
}

void SectionAssembler::hand_out(wire::Bytes section, std::uint16_t pid, SectionHandler& handler) {
  if (has_crc(section) && wire::crc32(section) != 0) {
    ++errors_.crc;
    return;
  }
  handler.section(section, pid);
}

}  // namespace receiverd::dvb
