// Converts a transponder to the properties of FE_SET_PROPERTY (Linux DVB API 5.11, linux/dvb/frontend.h).
//
// Parameters that lamedb leaves open make variants, which are tried in turn: DVB-T and T2, 8PSK and QPSK, pilots, the
// first PLP of DVB-T2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dvb/tuning.h"

namespace receiverd::frontend {

/// fe_delivery_system of DVB-C2, which headers older than Linux 6.2 do not name.
constexpr std::uint8_t kDvbC2 = 19;

struct Property {
  std::uint32_t command = 0;
  std::uint32_t value = 0;
  bool operator==(const Property&) const = default;
};

/// The properties of each variant; every variant starts with DTV_CLEAR and ends with DTV_TUNE. `systems`: the delivery
/// systems (fe_delivery_system) of the front end. `api`: version of the DVB API, 0x50B for 5.11. Returns no variant if
/// the front end does not support the transponder's delivery system.
std::vector<std::vector<Property>> variants_of(const dvb::Transponder& transponder,
                                               std::span<const std::uint8_t> systems, std::uint32_t api);

}  // namespace receiverd::frontend
