#include "epg/event/event.h"

#include <algorithm>
#include <string_view>

namespace receiverd::epg {
namespace {

constexpr Language packed(std::string_view code) {
  return static_cast<Language>(code[0]) << 16 | static_cast<Language>(code[1]) << 8 | static_cast<Language>(code[2]);
}

// ISO 639-2 has two codes for these languages: bibliographic, terminological.
constexpr std::string_view kTwoCodes[][2] = {
    {"alb", "sqi"}, {"arm", "hye"}, {"baq", "eus"}, {"bur", "mya"}, {"chi", "zho"}, {"cze", "ces"}, {"dut", "nld"},
    {"fre", "fra"}, {"geo", "kat"}, {"ger", "deu"}, {"gre", "ell"}, {"ice", "isl"}, {"mac", "mkd"}, {"mao", "mri"},
    {"may", "msa"}, {"per", "fas"}, {"rum", "ron"}, {"slo", "slk"}, {"tib", "bod"}, {"wel", "cym"}};

}  // namespace

Language language_of(wire::Bytes code) {
  Language language = 0;
  for (const std::uint8_t byte : code.first(3)) {
    const auto small = static_cast<std::uint8_t>(byte | 0x20);
    if (small < 'a' || small > 'z') return 0;
    language = language << 8 | small;
  }
  return language;
}

std::string language_text(Language language) {
  if (language == 0) return {};
  return {static_cast<char>(language >> 16), static_cast<char>(language >> 8), static_cast<char>(language)};
}

Language terminological(Language language) {
  for (const auto& codes : kTwoCodes) {
    if (packed(codes[0]) == language) return packed(codes[1]);
  }
  return language;
}

std::size_t place_among(std::span<const Language> preferred, Language language) {
  const auto found = std::ranges::find(preferred, terminological(language), terminological);
  return static_cast<std::size_t>(found - preferred.begin());
}

}  // namespace receiverd::epg
