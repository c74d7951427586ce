#include "epg/text/east_asian_characters.h"

#include <span>
#include <vector>

#include "epg/text/east_asian_tables.h"

namespace receiverd::epg {
namespace {

constexpr std::uint8_t kFirstLead = 0x81;   // of UHC and GBK
constexpr std::uint8_t kFirstPlane = 0xA1;  // rows of the standards
constexpr std::size_t kNoColumn = ~std::size_t{0};

/// The characters `first`..`last` that are not in `plane`.
std::vector<char16_t> others(std::span<const char16_t> plane, char16_t first, char16_t last) {
  std::vector<bool> present(last - first + 1U);
  for (const char16_t character : plane) {
    if (character >= first && character <= last) present[character - first] = true;
  }
  std::vector<char16_t> missing;
  for (std::size_t at = 0; at < present.size(); ++at) {
    if (!present[at]) missing.push_back(static_cast<char16_t>(first + at));
  }
  return missing;
}

char16_t character_at(std::span<const char16_t> characters, std::size_t at) {
  return at < characters.size() ? characters[at] : u'\0';
}

char16_t in_plane(std::span<const char16_t> plane, std::uint8_t lead, std::uint8_t trail) {
  return trail == 0xFF ? u'\0' : character_at(plane, (lead - kFirstPlane) * kPlaneRow + (trail - kFirstPlane));
}

// Rows 0x81..0xA0 of UHC and GBK are whole. In those after them, the other characters stand left of the plane.
struct Sides {
  std::uint8_t first_half_row;  ///< lead byte of the first row that is not whole
  std::size_t whole;            ///< columns of a whole row
  std::size_t half;             ///< columns left of the plane
};

std::size_t place(std::uint8_t lead, std::size_t column, const Sides& sides) {
  constexpr std::size_t kWholeRows = kFirstPlane - kFirstLead;
  if (lead < kFirstPlane) return (lead - kFirstLead) * sides.whole + column;
  return lead < sides.first_half_row ? kNoColumn
                                     : kWholeRows * sides.whole + (lead - sides.first_half_row) * sides.half + column;
}

char16_t korean(std::uint8_t lead, std::uint8_t trail) {
  if (lead >= kFirstPlane && trail >= kFirstPlane) return in_plane(kKsX1001, lead, trail);
  static const std::vector<char16_t> syllables = others(kKsX1001, 0xAC00, 0xD7A3);
  std::size_t column = 0;
  if (trail >= 'A' && trail <= 'Z') {
    column = trail - 'A';
  } else if (trail >= 'a' && trail <= 'z') {
    column = 26U + trail - 'a';
  } else if (trail >= 0x81 && trail != 0xFF) {
    column = 52U + trail - 0x81U;
  } else {
    return u'\0';
  }
  return character_at(syllables, place(lead, column, {.first_half_row = 0xA1, .whole = 178, .half = 84}));
}

char16_t chinese(std::uint8_t lead, std::uint8_t trail) {
  if (lead >= kFirstPlane && trail >= kFirstPlane) return in_plane(kGb2312, lead, trail);
  static const std::vector<char16_t> ideographs = others(kGb2312, 0x4E00, 0x9FA5);
  if (trail < 0x40 || trail == 0x7F || trail == 0xFF) return u'\0';
  const std::size_t column = trail - (trail < 0x7F ? 0x40U : 0x41U);
  return character_at(ideographs, place(lead, column, {.first_half_row = 0xAA, .whole = 190, .half = 96}));
}

char16_t taiwanese(std::uint8_t lead, std::uint8_t trail) {
  if (lead < kFirstPlane || trail < 0x40 || trail == 0xFF || (trail >= 0x7F && trail < kFirstPlane)) return u'\0';
  const std::size_t column = trail - (trail < 0x7F ? 0x40U : 0x62U);
  return character_at(kBig5, (lead - kFirstPlane) * kBig5Row + column);
}

}  // namespace

char16_t east_asian_character(CharacterTable table, std::uint8_t lead, std::uint8_t trail) {
  if (lead < kFirstLead || lead == 0xFF) return u'\0';
  if (table == CharacterTable::euc_kr) return korean(lead, trail);
  return table == CharacterTable::gb18030 ? chinese(lead, trail) : taiwanese(lead, trail);
}

}  // namespace receiverd::epg
