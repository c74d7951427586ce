// Lines of text as masks, in the glyphs of glyphs.h.
#pragma once

#include <string>
#include <string_view>

#include "lettering/mask.h"

namespace receiverd::lettering {

struct Lettering {
  double size = 28;      ///< height of a capital in drawing units
  double weight = 0.11;  ///< pen width as a fraction of `size`
};

/// Converts UTF-8 to code points; an invalid byte becomes U+FFFD.
std::u32string code_points(std::string_view text);

/// Width of `text` in drawing units.
double text_width(std::string_view text, const Lettering& lettering);

/// Shortens `text` at a word boundary, with an ellipsis, so that it is at most `width` wide.
std::string fit_text(std::string_view text, double width, const Lettering& lettering);

/// One line of `text` in a picture of this size, with the left end of its baseline at `at`.
Mask draw_text(Size picture, std::string_view text, Point at, const Lettering& lettering);

}  // namespace receiverd::lettering
