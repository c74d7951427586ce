// Decodes the SDT, NIT and BAT descriptors of a service, a network or a bouquet, and the links to sub-services: names
// as UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

/// service_descriptor 0x48 and default_authority_descriptor 0x73 of a service's loop.
struct ServiceDescription {
  std::uint8_t type = 0;  ///< service_type, EN 300 468 table 89; 0 if there is no service_descriptor
  std::string provider;
  std::string name;               ///< full name, without the marks of the short one
  std::string short_name;         ///< the text between 0x86 and 0x87; empty if nothing is marked
  std::string default_authority;  ///< for CRIDs (TS 102 323 §6.3.3)
  bool operator==(const ServiceDescription&) const = default;
};

ServiceDescription describe_service(wire::Bytes descriptors);

/// network_name_descriptor 0x40, or bouquet_name_descriptor 0x47, as UTF-8; empty if absent.
std::string read_network_name(wire::Bytes descriptors);
std::string read_bouquet_name(wire::Bytes descriptors);
std::string read_default_authority(wire::Bytes descriptors);

/// A channel beside a service that carries further pictures or sound of a programme, such as the options of a race.
struct SubService {
  DvbTriplet triplet;
  std::string name;
  bool operator==(const SubService&) const = default;
};

/// The maximum number of sub-services read from one event.
inline constexpr std::size_t kMaximumSubServices = 64;

/// The sub-services to which the first event in an EIT section that read_eit_section_header() accepts links, in the
/// order of its linkage_descriptors (EN 300 468 §6.2.19): of the private linkage_type 0xB0, followed by the name.
std::vector<SubService> read_sub_services(wire::Bytes eit_section);

}  // namespace receiverd::dvb
