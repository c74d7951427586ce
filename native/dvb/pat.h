// Program association table (ISO/IEC 13818-1 §2.4.4.3): the services in the multiplex, and where their PMTs are.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

struct Pat {
  struct Program {
    std::uint16_t service_id = 0;  ///< program_number; never 0, which is the network PID
    std::uint16_t pmt_pid = 0;
    bool operator==(const Program&) const = default;
  };

  std::uint16_t transport_stream_id = 0;
  std::uint8_t version = 0;
  std::uint16_t network_pid = 0;  ///< program 0; 0 when absent
  std::vector<Program> programs;
  bool operator==(const Pat&) const = default;
};

/// Adds the contents of `section`. Returns false, and leaves `pat` alone, if it is not a whole PAT section.
bool append_section(wire::Bytes section, Pat& pat);

/// As many sections as the programmes need, at least one.
std::vector<Section> write_sections(const Pat& pat);

}  // namespace receiverd::dvb
