// A transponder in the properties of FE_SET_PROPERTY (Linux DVB API 5.11, linux/dvb/frontend.h).
//
// What lamedb leaves open is tried in turn: DVB-T and T2, 8PSK and QPSK, pilots, the first pipe of DVB-T2.
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

/// `systems`: those of the front end, as fe_delivery_system; `api`: version of the interface, 0x50B for 5.11. Each
/// variant begins with DTV_CLEAR and ends with DTV_TUNE. Empty if the front end has no system for it.
std::vector<std::vector<Property>> variants_of(const dvb::Transponder& transponder,
                                               std::span<const std::uint8_t> systems, std::uint32_t api);

}  // namespace receiverd::frontend
