// The table behind fold.cc, made by scripts/make-fold-table.mjs: pages of 256 characters of the basic plane.
//
//   value 0                the character itself
//   value 0xE000 + n       sequence n: code units kFoldSequences[offset n .. offset n + 1), possibly none
//   any other value        that one character
#pragma once

#include <array>
#include <cstdint>

namespace receiverd::epg {

extern const std::array<std::uint8_t, 256> kFoldPageOf;
extern const std::array<char16_t, 256>* const kFoldPages;
extern const std::uint16_t* const kFoldSequenceOffsets;
extern const char16_t* const kFoldSequences;

inline constexpr char16_t kFoldSequence = 0xE000;
inline constexpr char16_t kFoldSequenceEnd = 0xF900;

}  // namespace receiverd::epg
