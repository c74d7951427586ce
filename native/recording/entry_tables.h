// PAT and PMT put in front of a part of a stream, so that it can be understood from there on.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::recording {

/// Appends the packets of a section that was sent before, in front of packets of the same stream. They take nothing
/// from the count of its PID: the last has the continuity counter of the last packet before them, and the first says
/// that the count is interrupted (discontinuity_indicator, ISO/IEC 13818-1 §2.4.3.5). Nothing for an empty section.
void write_entry_section(wire::Bytes section, std::uint16_t pid, std::uint8_t last_counter,
                         std::vector<std::uint8_t>& packets);

}  // namespace receiverd::recording
