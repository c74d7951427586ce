// Service description table (EN 300 468 §5.2.3): names and state of the services of this (actual) or another multiplex.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

struct Sdt {
  struct Service {
    std::uint16_t service_id = 0;
    bool eit_schedule = false;
    bool eit_present_following = false;
    RunningStatus running_status = RunningStatus::undefined;
    bool free_ca_mode = false;  ///< true: a CA system controls at least one stream
    Section descriptors;        ///< see service_description.h
    bool operator==(const Service&) const = default;
  };

  bool actual = true;  ///< table_id 0x42, else 0x46
  std::uint16_t transport_stream_id = 0;
  std::uint16_t original_network_id = 0;
  std::uint8_t version = 0;
  std::vector<Service> services;
  bool operator==(const Sdt&) const = default;
};

/// Adds the contents of `section`. Returns false, and leaves `sdt` alone, if it is not a whole SDT section.
bool append_section(wire::Bytes section, Sdt& sdt);

/// As many sections as the services need, at least one. A service over 1024 bytes is left out.
std::vector<Section> write_sections(const Sdt& sdt);

}  // namespace receiverd::dvb
