// Time and date table and time offset table (EN 300 468 §5.2.5, §5.2.6): the broadcast clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/section.h"
#include "wire/time.h"

namespace receiverd::dvb {

/// One entry of the local_time_offset_descriptor 0x58 (EN 300 468 §6.2.20).
struct LocalTimeOffset {
  std::string country;                      ///< ISO 3166 three letters, or three digits of a group of countries
  std::uint8_t region_id = 0;               ///< 0 no zones, 1.. counted from the east; 6 bits
  int offset_minutes = 0;                   ///< local time minus UTC, -12 h .. +13 h
  std::optional<wire::UnixSeconds> change;  ///< when the next offset starts; nothing if undefined
  int next_offset_minutes = 0;
  bool operator==(const LocalTimeOffset&) const = default;
};

struct Tdt {
  wire::UnixSeconds utc = 0;
  bool operator==(const Tdt&) const = default;
};

struct Tot {
  wire::UnixSeconds utc = 0;
  std::vector<LocalTimeOffset> offsets;  ///< at most 19 can be written: one descriptor of 255 bytes
  bool operator==(const Tot&) const = default;
};

/// Returns nothing if `section` is not a TDT or its time is invalid. read_tot() does the same for a TOT.
std::optional<Tdt> read_tdt(wire::Bytes section);
std::optional<Tot> read_tot(wire::Bytes section);

Section write_section(const Tdt& tdt);
Section write_section(const Tot& tot);

}  // namespace receiverd::dvb
