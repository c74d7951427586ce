// A picture that says what there is no picture of: two lines of text, white and grey on black.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace receiverd::dvb::demo {

/// Rows of `width` grey values from black (0) to white (255), each row behind one byte 0: scanlines as PNG has them
/// (ISO/IEC 15948 §7.2) without a filter. Both sizes are even; texts too long for a line end with an ellipsis.
std::vector<std::uint8_t> caption(int width, int height, std::string_view heading, std::string_view text);

}  // namespace receiverd::dvb::demo
