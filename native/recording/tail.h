// The end of a recording that was stopped in the middle of its stream: what is there only in part is worse than
// nothing, since decoders take it for damage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dvb/packet.h"

namespace receiverd::recording {

/// A packet that says nothing (ISO/IEC 13818-1 §2.4.3.3, PID 0x1FFF).
const std::array<std::uint8_t, dvb::kPacketSize>& null_packet();

/// Makes null packets of those that belong to a PES packet which begins in `packets` and is not whole at their end.
/// Pictures are left alone: where these end is known otherwise, their PES packets have no length. Gives the offset of
/// the first packet that was changed, or the size of `packets`.
std::size_t blank_torn_units(std::span<std::uint8_t> packets);

}  // namespace receiverd::recording
