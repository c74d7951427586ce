// Remembers which EIT sections the carousel has delivered. A section is identified by table_id, section_number and
// service (64 bits in all) and unchanged if its CRC_32 is the same. Open addressing, 12 bytes a section.
//
// At kMostSections the filter forgets everything and starts again; sections still on air are then decoded once more.
//
// Thread safety: none; Ingest's lock covers it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::epg {

/// A section's identity and its CRC_32.
struct SectionMark {
  std::uint64_t name = 0;  ///< never 0, since table_id is part of it
  std::uint32_t crc = 0;
};

/// The mark of a section. Returns nothing if it is too short, not an EIT section, or not yet valid
/// (current_next_indicator 0).
std::optional<SectionMark> mark_of(wire::Bytes section);

class SectionFilter {
 public:
  static constexpr std::size_t kMostSections = 2'000'000;

  /// True if exactly this section was noted before.
  bool seen(const SectionMark& mark) const;
  void note(const SectionMark& mark);
  void clear();

 private:
  static constexpr unsigned kWidth = 64;  // bits of a name

  std::size_t find(std::uint64_t name) const;
  void grow();

  // Two arrays, so that there is no padding.
  std::vector<std::uint64_t> names_;
  std::vector<std::uint32_t> crcs_;
  std::size_t size_ = 0;
  unsigned shift_ = kWidth;  // shift that leaves as many hash bits as index the arrays
};

}  // namespace receiverd::epg
