// The AC-3_audio_stream_descriptor and the E-AC-3_audio_stream_descriptor of ATSC (A/52 annexes A and G), in PMT and in
// EIT of PSIP.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "epg/event/event.h"
#include "wire/bytes.h"

namespace receiverd::epg {

struct Ac3Audio {
  /// As the component_type of EN 300 468 annex D: full service, kind of service, channels.
  std::uint8_t component_type = 0;
  Language language = 0;
  std::string text;  ///< ASCII
};

/// The language at the cursor, if it is sent.
inline Language language_at(bool is_sent, wire::Cursor& cursor) {
  const wire::Bytes code = cursor.take(3);
  return is_sent && !code.empty() ? language_of(code) : Language{};
}

/// AC-3. Nothing if the body is too short.
inline std::optional<Ac3Audio> read_ac3_audio(wire::Bytes body) {
  wire::Cursor cursor(body);
  cursor.skip(1);  // sample rate, version
  const bool surround = (cursor.u8() & 3) == 2;
  const std::uint8_t mode = cursor.u8();
  if (!cursor.ok()) return std::nullopt;
  const std::uint8_t channels = mode >> 1 & 0xF;
  const bool mono = channels == 1 || channels == 8;
  const bool stereo = channels == 2 || channels == 9;
  std::uint8_t layout = 4;  // more than two channels
  if (channels == 0) layout = 1;
  if (mono) layout = 0;
  if (stereo) layout = surround ? 3 : 2;
  Ac3Audio audio;
  audio.component_type = static_cast<std::uint8_t>((mode & 1) << 6 | (mode >> 5) << 3 | layout);
  cursor.skip(channels == 0 ? 2 : 1);  // langcod, langcod2
  cursor.skip(1);                      // mainid and priority, or asvcflags
  const std::uint8_t text = cursor.u8();
  for (const std::uint8_t byte : cursor.take(text >> 1)) {
    if ((text & 1) != 0 && byte >= 0x20 && byte < 0x7F) audio.text.push_back(static_cast<char>(byte));
  }
  const bool has_language = (cursor.u8() & 0x80) != 0;
  audio.language = language_at(has_language, cursor);
  return audio;
}

/// E-AC-3. Nothing if the body is too short.
inline std::optional<Ac3Audio> read_eac3_audio(wire::Bytes body) {
  constexpr unsigned kOptionalBytes = 0x37;  // one for each of these flags, before the language
  wire::Cursor cursor(body);
  const std::uint8_t flags = cursor.u8();
  Ac3Audio audio;
  audio.component_type = cursor.u8() | 0x80;
  const bool has_language = (cursor.u8() & 0x80) != 0;
  if (!cursor.ok()) return std::nullopt;
  cursor.skip(static_cast<std::size_t>(std::popcount(flags & kOptionalBytes)));
  audio.language = language_at(has_language, cursor);
  return audio;
}

}  // namespace receiverd::epg
