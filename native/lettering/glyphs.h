// A built-in typeface, drawn with a round pen. Each glyph is a program in this format:
//
//   program:  strokes separated by ';'
//   stroke:   l x y x y ...           a line through points
//             a cx cy rx ry from to   an arc of an ellipse, degrees, 0 = right, 90 = down, either direction
//
// x increases to the right from 0 to the width of the glyph, y increases downwards: capitals lie between 0 and 14,
// small letters start at 4.8, descenders end at 18.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiverd::lettering {

struct GlyphProgram {
  char32_t letter;
  double width;
  std::string_view strokes;
};

/// A letter that consists of a base letter and a diacritical mark.
struct GlyphComposition {
  char32_t base;
  std::string_view mark;  ///< strokes around (0, 0): x to both sides, y from -1.2 to 1.2
  bool below;             ///< the mark is below the letter
};

/// The program of a letter; null if it has none. Letters with a mark have a glyph_composition() instead.
const GlyphProgram* glyph_program(char32_t letter);

/// Base letter and mark of a letter; nothing if it has no mark.
std::optional<GlyphComposition> glyph_composition(char32_t letter);

/// The letter to draw for `letter`: itself if it has a glyph, else a substitute. Greek and Cyrillic small letters
/// become capitals, Greek letters lose their accents, unsupported letters become '?'.
char32_t shown_letter(char32_t letter);

/// Converts UTF-8 to code points; an invalid byte becomes U+FFFD.
std::u32string code_points(std::string_view text);

}  // namespace receiverd::lettering
