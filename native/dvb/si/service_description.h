// Decodes the SDT, NIT and BAT descriptors of a service, a network or a bouquet, and the links to sub-services. All
// names are UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/packets/section.h"
#include "epg/arib/si_rules.h"

namespace receiverd::dvb {

/// The contents of service_descriptor 0x48 and default_authority_descriptor 0x73 of a service.
struct ServiceDescription {
  std::uint8_t type = 0;  ///< service_type, EN 300 468 table 89; 0 if there is no service_descriptor
  std::string provider;
  std::string name;                      ///< full name, without the control codes that mark the short name
  std::string short_name;                ///< the parts of the name between 0x86 and 0x87; empty if there are none
  std::optional<std::uint16_t> logo_id;  ///< ISDB: in the CDT
  std::string default_authority;         ///< for CRIDs (TS 102 323 §6.3.3)
  bool operator==(const ServiceDescription&) const = default;
};

ServiceDescription describe_service(wire::Bytes descriptors, const epg::SiRules& rules = {});

/// broadcaster_name_descriptor 0xD8 (ARIB STD-B10 part 2, 6.2.36).
std::string read_broadcaster_name(wire::Bytes descriptors, const epg::SiRules& rules);

/// network_name_descriptor 0x40, or bouquet_name_descriptor 0x47, as UTF-8; empty if absent.
std::string read_network_name(wire::Bytes descriptors, const epg::SiRules& rules = {});
std::string read_bouquet_name(wire::Bytes descriptors, const epg::SiRules& rules = {});
std::string read_default_authority(wire::Bytes descriptors);

/// A service with additional video or audio for the present event of another service, such as camera views of a race.
struct SubService {
  DvbTriplet triplet;
  std::string name;
  bool operator==(const SubService&) const = default;
};

/// Sub-services read from one event; further ones are ignored.
inline constexpr std::size_t kMaxSubServices = 64;

/// The sub-services that the first event of an EIT section links to, in the order of its linkage_descriptors (EN 300
/// 468 §6.2.19) with the private linkage_type 0xB0, whose private data is the name. read_eit_section_header() must
/// accept the section.
std::vector<SubService> read_sub_services(wire::Bytes eit_section);

}  // namespace receiverd::dvb
