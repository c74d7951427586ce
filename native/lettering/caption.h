// A still picture that explains why there is no video: two lines of text, white and grey on black.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::lettering {

/// Returns the picture as PNG scanlines without a filter (ISO/IEC 15948 §7.2): each row is a byte 0, followed by
/// `width` grey values from black (0) to white (255). `width` and `height` are even. A text too long for its line ends
/// with an ellipsis.
std::string caption(int width, int height, std::string_view heading, std::string_view text);

}  // namespace receiverd::lettering
