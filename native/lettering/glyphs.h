// A built-in typeface, drawn with one round pen. This is the format of its glyphs:
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

/// A letter that consists of another one and a mark.
struct GlyphComposition {
  char32_t base;
  std::string_view mark;  ///< strokes around (0, 0): x to both sides, y from -1.2 to 1.2
  bool below;
};

/// The program of a letter, or nullptr. For letters with a mark see glyph_composition().
const GlyphProgram* glyph_program(char32_t letter);

std::optional<GlyphComposition> glyph_composition(char32_t letter);

/// The substitute for a letter without a shape of its own: capitals for Greek and Cyrillic small letters, Greek letters
/// without their accents, '?' for unsupported letters.
char32_t shown_letter(char32_t letter);

/// Converts UTF-8 to code points; an invalid byte becomes U+FFFD.
std::u32string code_points(std::string_view text);

}  // namespace receiverd::lettering
