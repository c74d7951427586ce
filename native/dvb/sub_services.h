// Sub-services: channels beside a service that carry further pictures or sound of a programme, such as the options of a
// race. The present event links to them by linkage_descriptors (EN 300 468 §6.2.19) of the private linkage_type 0xB0,
// followed by the name.
#pragma once

#include <string>
#include <vector>

#include "dvb/section.h"
#include "wire/bytes.h"

namespace receiverd::dvb {

struct SubService {
  DvbTriplet triplet;
  std::string name;  ///< UTF-8
  bool operator==(const SubService&) const = default;
};

/// The maximum number of sub-services read from one event.
inline constexpr std::size_t kMaximumSubServices = 64;

/// The sub-services of the first event in an EIT section that read_eit_section_header() accepts, in the order of the
/// descriptors.
std::vector<SubService> read_sub_services(wire::Bytes eit_section);

}  // namespace receiverd::dvb
