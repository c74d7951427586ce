#include "epg/arib/arib_logo.h"

#include <string_view>

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

constexpr std::size_t kColours = 128;

/// CRC of PNG (ISO/IEC 15948 annex D).
std::uint32_t png_crc(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

void put_u32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void put_chunk(std::string& out, std::string_view name, std::string_view data) {
  put_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::string chunk = std::string(name).append(data);
  out.append(chunk);
  put_u32(out, png_crc(chunk));
}

/// The fixed colours (STD-B24 volume 1, part 2, annex 5): the eight basic ones, none, the seven at two thirds, those
/// that mix levels; then the same, half transparent.
std::string palette_chunks() {
  std::string colours;
  std::string alphas;
  const auto add = [&](unsigned red, unsigned green, unsigned blue, unsigned alpha) {
    if (alphas.size() == kColours) return;
    for (const unsigned level : {red, green, blue}) colours.push_back(static_cast<char>(level * 85));
    alphas.push_back(static_cast<char>(alpha));
  };
  for (const unsigned alpha : {255U, 128U}) {
    for (unsigned basic = 0; basic < 8; ++basic) add((basic & 1) * 3, (basic >> 1 & 1) * 3, (basic >> 2) * 3, alpha);
    if (alpha == 255) add(0, 0, 0, 0);
    for (unsigned basic = 1; basic < 8; ++basic) add((basic & 1) * 2, (basic >> 1 & 1) * 2, (basic >> 2) * 2, alpha);
    for (unsigned mixed = 0; mixed < 64; ++mixed) {
      const unsigned levels[] = {mixed >> 4, mixed >> 2 & 3, mixed & 3};
      const auto only = [&](unsigned level) {
        for (const unsigned one : levels) {
          if (one != 0 && one != level) return false;
        }
        return true;
      };
      if (!only(3) && !only(2)) add(levels[0], levels[1], levels[2], alpha);
    }
  }
  std::string chunks;
  put_chunk(chunks, "PLTE", colours);
  put_chunk(chunks, "tRNS", alphas);
  return chunks;
}

}  // namespace

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

std::string logo_picture(Bytes png) {
  constexpr std::string_view kStart("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", 16);
  constexpr std::size_t kHeaderSize = 33;
  constexpr std::size_t kColourTypeAt = 25;
  constexpr char kPalette = 3;
  constexpr std::size_t kChunkLengthSize = 4;
  static const std::string palette = palette_chunks();
  const std::string_view picture = wire::text_of(png);
  if (png.size() < kHeaderSize + kChunkLengthSize || png.size() > kMaxLogoBytes || !picture.starts_with(kStart))
    return {};
  if (picture[kColourTypeAt] != kPalette) return {};
  std::string whole(picture.substr(0, kHeaderSize));
  if (picture.substr(kHeaderSize + kChunkLengthSize, 4) != "PLTE") whole += palette;
  return whole.append(picture.substr(kHeaderSize));
}

}  // namespace receiverd::epg
