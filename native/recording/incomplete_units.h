// Repairs the end of a recording that was stopped while its stream was open. Incomplete PES packets are worse than
// missing ones, since decoders treat them as errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace receiverd::recording {

/// Replaces the packets of every PES packet that starts in `packets`, but is incomplete at their end, by null packets.
/// Video is not changed: its PES packets have no length, and RecordedStream::incomplete_picture() finds their end.
/// Returns the offset of the first changed packet, or the size of `packets` if there is none.
std::size_t blank_incomplete_units(std::span<std::uint8_t> packets);

}  // namespace receiverd::recording
