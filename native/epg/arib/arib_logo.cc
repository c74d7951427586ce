#include "epg/arib/arib_logo.h"

#include <string_view>

namespace receiverd::epg {

using wire::Bytes;
using wire::Cursor;

std::optional<AribLogo> read_logo(Bytes body) {
  constexpr std::uint8_t kLogo = 1;
  Cursor cursor(body);
  cursor.skip(2);  // original_network_id
  const std::uint8_t kind = cursor.u8();
  cursor.skip(cursor.u16() & 0x0FFF);
  AribLogo logo;
  logo.type = cursor.u8();
  logo.id = cursor.u16() & 0x01FF;
  logo.version = cursor.u16() & 0x0FFF;
  logo.png = cursor.take(cursor.u16());
  if (!cursor.ok() || kind != kLogo || logo.png.empty()) return std::nullopt;
  return logo;
}

std::optional<std::uint16_t> read_logo_id(Bytes descriptor_body) {
  Cursor cursor(descriptor_body);
  const std::uint8_t kind = cursor.u8();
  const std::uint16_t id = cursor.u16() & 0x01FF;
  return cursor.ok() && (kind == 1 || kind == 2) ? std::optional(id) : std::nullopt;
}

bool is_logo_picture(Bytes png) {
  constexpr std::string_view kStart("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", 16);
  constexpr std::size_t kMinBytes = 37;  // signature, IHDR, and the length of the next chunk
  constexpr std::size_t kColourTypeAt = 25;
  constexpr char kPalette = 3;
  const std::string_view picture = wire::text_of(png);
  return png.size() >= kMinBytes && png.size() <= kMaxLogoBytes && picture.starts_with(kStart) &&
         picture[kColourTypeAt] == kPalette;
}

}  // namespace receiverd::epg
