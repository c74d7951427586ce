// The logos of services in the common data table of ISDB (CDT, ARIB STD-B21 part 5 and TR-B14): PNG pictures whose
// palette is not sent, since it is the same for all.
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace receiverd::epg {

inline constexpr std::size_t kMaxLogoBytes = 4096;

/// A logo of a CDT section.
struct AribLogo {
  std::uint16_t id = 0;
  std::uint8_t type = 0;  ///< 0 to 5: the larger, the larger is the picture
  std::uint16_t version = 0;
  wire::Bytes png;
};

/// Nothing unless the section, whose header and CRC_32 are those of a CDT, holds a logo.
std::optional<AribLogo> read_logo(wire::Bytes body);

/// The logo_id of a logo_transmission_descriptor 0xCF.
std::optional<std::uint16_t> read_logo_id(wire::Bytes descriptor_body);

/// Whether these bytes begin like a PNG with a palette, and are at most kMaxLogoBytes.
bool is_logo_picture(wire::Bytes png);

}  // namespace receiverd::epg
