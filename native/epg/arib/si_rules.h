// The standard that the service information of a multiplex follows. ISDB took over the tables of DVB, but not their
// times and texts: times are local, texts are those of ARIB STD-B24, and some fields have other meanings.
//
// A multiplex is ISDB if any of these says so:
//   NIT   a system_management_descriptor 0xFE or a terrestrial delivery system 0xFA, well formed and not after a
//         private_data_specifier, which makes such tags private
//   ids   a network id of Japanese terrestrial television, a range that DVB does not assign
//   EIT   an id of Japanese satellites, which DVB assigns to others, and an event in Japanese
// It is Japanese unless it is terrestrial with another network id: then it follows ABNT NBR 15603 (Brazil and others).
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace receiverd::epg {

struct SiRules {
  bool arib = false;              ///< ARIB STD-B10 and STD-B24
  bool latin = false;             ///< the variant of ABNT NBR 15603 and 15606, with Latin texts (Brazil and others)
  std::int32_t zone_seconds = 0;  ///< local time minus UTC
  bool operator==(const SiRules&) const = default;
};

inline constexpr SiRules kJapan{.arib = true, .latin = false, .zone_seconds = 9 * 3600};
inline constexpr SiRules kBrazil{.arib = true, .latin = true, .zone_seconds = -3 * 3600};

/// The rules that follow from the original_network_id alone.
SiRules rules_of_network(std::uint16_t original_network_id);

/// The rules that follow from a descriptor loop of a NIT (network or transport stream).
SiRules rules_of_nit(wire::Bytes descriptors, std::uint16_t network_id);

/// The rules that follow from an EIT section alone.
SiRules rules_of_eit(wire::Bytes section);

/// The time zone of a TOT by ABNT NBR 15603, from the country in its local_time_offset_descriptor. Nothing if the
/// TOT names no country with ISDB.
std::optional<std::int32_t> zone_of_tot(wire::Bytes section);

/// True if the time of a TOT may be local: it names a country with ISDB or, as in Japan, none.
bool may_be_local_time(wire::Bytes tot_section);

}  // namespace receiverd::epg
