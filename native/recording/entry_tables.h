// Copies of PAT and PMT placed before a part of a stream, so that it can be decoded from there on.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::recording {

/// Appends the packets of a section that was sent earlier, to precede packets of the same stream. They do not advance
/// the count of their PID. The last one has the continuity counter of the last packet before them, and the first one
/// signals that the count is interrupted (discontinuity_indicator, ISO/IEC 13818-1 §2.4.3.5). Appends nothing for an
/// empty section.
void write_entry_section(wire::Bytes section, std::uint16_t pid, std::uint8_t last_counter,
                         std::vector<std::uint8_t>& packets);

}  // namespace receiverd::recording
