// Sub-services: the channels beside a service on which a programme has further pictures or sound, such as the options
// of a race. They are linked from the present event, by linkage_descriptors (EN 300 468 §6.2.19) of the private
// linkage_type 0xB0, behind which the name stands.
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

/// In the order of the descriptors, so many at the most.
inline constexpr std::size_t kMaximumSubServices = 64;

/// Those of the first event in an EIT section that read_eit_section_header() accepts.
std::vector<SubService> read_sub_services(wire::Bytes eit_section);

}  // namespace receiverd::dvb
