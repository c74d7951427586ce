// ARIB texts: any bytes, in Japan's and in Brazil's form, give bounded UTF-8 without control codes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "epg/arib/arib_text.h"
#include "epg/text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::epg;
  for (const bool latin : {false, true}) {
    TextErrors errors;
    std::string text;
    decode_arib_text({data, size}, latin, errors, text);
    const bool controls =
        std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; });
    if (!valid_utf8(text) || controls || text.size() > 4 * (kMaxAribCharacters + 8)) std::abort();
    if (errors.malformed + errors.undefined_characters > size) std::abort();
  }
  return 0;
}
