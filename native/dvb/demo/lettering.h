// Text on a canvas, in the glyphs of glyphs.h.
#pragma once

#include <string>
#include <string_view>

#include "dvb/demo/paint.h"

namespace receiverd::dvb::demo {

struct Lettering {
  double size = 28;      ///< height of a capital in drawing units
  double weight = 0.11;  ///< pen width as a fraction of `size`
  double spacing = 1;    ///< between letters, 1 = normal
};

/// Converts UTF-8 to code points; an invalid byte becomes U+FFFD.
std::u32string code_points(std::string_view text);

/// Width of `text` in drawing units.
double text_width(std::string_view text, const Lettering& lettering);

/// Draws `text` with the left end of its baseline at `at`. Returns the x at which it ends.
double draw_text(Mask& mask, std::string_view text, Point at, const Lettering& lettering);

/// Shortens `text` at a word boundary, with an ellipsis, so that it is at most `width` wide.
std::string fit_text(std::string_view text, double width, const Lettering& lettering);

/// Draws one line of `text` in `colour` at `at`.
void put_text(Canvas& canvas, std::string_view text, Point at, const Lettering& lettering, Colour colour,
              double opacity = 1);

}  // namespace receiverd::dvb::demo
