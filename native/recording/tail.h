// The end of a recording that was stopped in the middle of its stream. Incomplete units are worse than missing ones,
// since decoders take them for damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace receiverd::recording {

/// Replaces the packets of every PES packet that starts in `packets` but is incomplete at their end by null packets.
/// Pictures are left alone: their PES packets have no length, and their end is found by other means. Returns the offset
/// of the first changed packet, or the size of `packets`.
std::size_t blank_torn_units(std::span<std::uint8_t> packets);

}  // namespace receiverd::recording
