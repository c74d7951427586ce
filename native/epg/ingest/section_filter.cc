#include "epg/ingest/section_filter.h"

#include <bit>

namespace receiverd::epg {

std::optional<SectionMark> mark_of(wire::Bytes section) {
  constexpr std::size_t kSmallest = 18;
  constexpr std::size_t kLargest = 4096;
  if (section.size() < kSmallest) return std::nullopt;
  const std::uint8_t table_id = section[0];
  const std::size_t size = ((section[1] & 0x0FU) << 8 | section[2]) + 3U;
  if (table_id < 0x4E || table_id > 0x6F || (section[1] & 0x80) == 0 || (section[5] & 1) == 0) return std::nullopt;
  if (size < kSmallest || size > kLargest || size > section.size()) return std::nullopt;
  wire::Cursor service(section.subspan(3, 2));
  wire::Cursor stream(section.subspan(8, 4));
  const std::uint64_t number = section[6];
  const std::uint64_t name =
      std::uint64_t{table_id} << 56 | number << 48 | std::uint64_t{service.u16()} << 32 | stream.u32();
  return SectionMark{name, wire::Cursor(section.subspan(size - 4, 4)).u32()};
}

bool SectionFilter::seen(const SectionMark& mark) const {
  if (size_ == 0) return false;
  const std::size_t at = find(mark.name);
  return names_[at] == mark.name && crcs_[at] == mark.crc;
}

void SectionFilter::note(const SectionMark& mark) {
  if (size_ >= kMostSections) clear();
  if ((size_ + 1) * 10 > names_.size() * 7) grow();
  const std::size_t at = find(mark.name);
  if (names_[at] == 0) ++size_;
  names_[at] = mark.name;
  crcs_[at] = mark.crc;
}

void SectionFilter::clear() {
  names_.clear();
  crcs_.clear();
  size_ = 0;
  shift_ = kWidth;
}

std::size_t SectionFilter::find(std::uint64_t name) const {
  // The upper bits of a product depend on all bits below them (Fibonacci hashing). The middle bits would ignore table
  // and section number, which are at the top of a name.
  std::size_t at = name * 0x9E3779B97F4A7C15ULL >> shift_;
  while (names_[at] != 0 && names_[at] != name) at = (at + 1) & (names_.size() - 1);
  return at;
}

void SectionFilter::grow() {
  const std::size_t size = names_.empty() ? 1024 : names_.size() * 2;
  std::vector<std::uint64_t> names(size);
  std::vector<std::uint32_t> crcs(size);
  names.swap(names_);
  crcs.swap(crcs_);
  shift_ = kWidth - static_cast<unsigned>(std::countr_zero(size));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == 0) continue;
    const std::size_t at = find(names[i]);
    names_[at] = names[i];
    crcs_[at] = crcs[i];
  }
}

}  // namespace receiverd::epg
