#include "dvb/tdt.h"

#include <cstdlib>

#include "dvb/section_writer.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

constexpr std::uint8_t kLocalTimeOffset = 0x58;
constexpr std::size_t kOffsetSize = 13;
constexpr std::size_t kTdtSize = kSectionHeaderSize + 5;

/// Converts four BCD digits hhmm to minutes; returns nothing if they are invalid.
std::optional<int> bcd_minutes(std::uint16_t hhmm) {
  const auto seconds = wire::bcd_seconds(std::uint32_t{hhmm} << 8);
  if (!seconds) return std::nullopt;
  return static_cast<int>(*seconds / 60);
}

std::uint16_t to_bcd_minutes(int minutes) {
  return static_cast<std::uint16_t>(wire::to_bcd_seconds(static_cast<std::uint32_t>(std::abs(minutes)) * 60) >> 8);
}

void read_offsets(wire::Bytes body, std::vector<LocalTimeOffset>& offsets) {
  for (wire::Cursor cursor(body); cursor.left() >= kOffsetSize;) {
    LocalTimeOffset offset;
    const wire::Bytes country = cursor.take(3);
    offset.country.assign(country.begin(), country.end());
    const std::uint8_t region = cursor.u8();
    offset.region_id = region >> 2;
    const int sign = (region & 1) != 0 ? -1 : 1;
    const auto now = bcd_minutes(cursor.u16());
    offset.change = wire::mjd_time(cursor.u40());
    const auto next = bcd_minutes(cursor.u16());
    if (!now || !next) continue;
    offset.offset_minutes = sign * *now;
    offset.next_offset_minutes = sign * *next;
    offsets.push_back(std::move(offset));
  }
}

/// Whether `section` is a short section of `table_id` with at least `least` bytes after its length.
bool is_short_section(wire::Bytes section, std::uint8_t table_id, std::size_t least) {
  if (section.size() < kSectionHeaderSize + least || section[0] != table_id) return false;
  return (static_cast<std::size_t>(section[1] & 0x0F) << 8 | section[2]) + kSectionHeaderSize == section.size();
}

}  // namespace

std::optional<Tdt> read_tdt(wire::Bytes section) {
  if (section.size() != kTdtSize || !is_short_section(section, table_id::kTdt, 5)) return std::nullopt;
  const auto utc = wire::mjd_time(wire::Cursor(section.subspan(kSectionHeaderSize)).u40());
  if (!utc) return std::nullopt;
  return Tdt{*utc};
}

std::optional<Tot> read_tot(wire::Bytes section) {
  if (!is_short_section(section, table_id::kTot, 5 + 2 + kCrcSize)) return std::nullopt;
  wire::Cursor cursor(section.subspan(kSectionHeaderSize, section.size() - kSectionHeaderSize - kCrcSize));
  const auto utc = wire::mjd_time(cursor.u40());
  if (!utc) return std::nullopt;
  Tot tot{*utc, {}};
  wire::DescriptorLoop loop(cursor.take(cursor.u16() & 0x0FFF));
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == kLocalTimeOffset) read_offsets(descriptor.body, tot.offsets);
  }
  return tot;
}

Section write_section(const Tdt& tdt) {
  SectionWriter writer(table_id::kTdt);
  writer.u40(wire::to_mjd_time(tdt.utc));
  return writer.finish_without_crc();
}

Section write_section(const Tot& tot) {
  constexpr std::size_t kMost = 255 / kOffsetSize;
  const std::size_t count = tot.offsets.size() < kMost ? tot.offsets.size() : kMost;
  SectionWriter writer(table_id::kTot);
  writer.u40(wire::to_mjd_time(tot.utc));
  writer.u16(static_cast<std::uint16_t>(0xF000 | (count == 0 ? 0 : 2 + count * kOffsetSize)));
  if (count != 0) {
    writer.u8(kLocalTimeOffset);
    writer.u8(static_cast<std::uint8_t>(count * kOffsetSize));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const LocalTimeOffset& offset = tot.offsets[i];
    for (std::size_t letter = 0; letter < 3; ++letter) {
      writer.u8(letter < offset.country.size() ? static_cast<std::uint8_t>(offset.country[letter]) : ' ');
    }
    const bool west = offset.offset_minutes < 0 || offset.next_offset_minutes < 0;
    writer.u8(static_cast<std::uint8_t>(offset.region_id << 2 | 0x02 | (west ? 1 : 0)));
    writer.u16(to_bcd_minutes(offset.offset_minutes));
    writer.u40(offset.change ? wire::to_mjd_time(*offset.change) : 0xFFFFFFFFFFULL);
    writer.u16(to_bcd_minutes(offset.next_offset_minutes));
  }
  return writer.finish();
}

}  // namespace receiverd::dvb
