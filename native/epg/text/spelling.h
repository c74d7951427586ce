// Words that differ by slips of the keyboard: a letter left out, added, replaced, or swapped with the next one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace receiverd::epg {

/// The number of slips between two words, counted in bytes (optimal string alignment), or `max` + 1 if there are more.
/// Words longer than 32 bytes have no slips: they are equal, or differ by `max` + 1.
std::size_t slips_between(std::string_view a, std::string_view b, std::size_t max);

/// The sum of the slips from each word to the nearest one of the text; kTooManySlips if a word is not in the text. A
/// word may have one slip from four bytes on, two from eight bytes on.
std::size_t slips_in(std::span<const std::string_view> words, std::string_view text);
inline constexpr std::size_t kTooManySlips = ~std::size_t{0};

}  // namespace receiverd::epg
