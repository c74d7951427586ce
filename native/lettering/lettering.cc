#include "lettering/lettering.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include "lettering/glyphs.h"

namespace receiverd::lettering {
namespace {

constexpr double kCapital = 14;  // height of a capital in units of glyphs.h
constexpr double kGap = 3.4;     // between two glyphs
constexpr double kBlank = 4.2;   // width of a space

/// Walks a glyph program and draws it with its origin at `origin`.
class Pen {
 public:
  Pen(Mask& mask, Point origin, const Lettering& lettering)
      : mask_(mask),
        origin_(origin),
        unit_(lettering.size / kCapital),
        radius_(lettering.size * lettering.weight / 2) {}

  void draw(std::string_view program, Point offset) {
    std::size_t begin = 0;
    while (begin < program.size()) {
      const std::size_t end = std::min(program.find(';', begin), program.size());
      stroke(program.substr(begin, end - begin), offset);
      begin = end + 1;
    }
  }

 private:
  void stroke(std::string_view text, Point offset) {
    double numbers[16];
    std::size_t count = 0;
    const char* at = text.data() + 1;
    const char* const end = text.data() + text.size();
    while (at < end && count < 16) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      numbers[count++] = number(at, end);
    }
    if (text.front() == 'a' && count == 6) {
      arc(numbers, offset);
    } else {
      for (std::size_t i = 0; i + 3 < count; i += 2) {
        segment({numbers[i] + offset.x, numbers[i + 1] + offset.y},
                {numbers[i + 2] + offset.x, numbers[i + 3] + offset.y});
      }
    }
  }

  /// The programs use only simple decimals; from_chars for double is missing in older libraries.
  static double number(const char*& at, const char* end) {
    const bool negative = *at == '-';
    if (negative) ++at;
    int whole = 0;
    at = std::from_chars(at, end, whole).ptr;
    double value = whole;
    if (at < end && *at == '.') {
      double place = 0.1;
      for (++at; at < end && *at >= '0' && *at <= '9'; ++at, place /= 10) value += place * (*at - '0');
    }
    return negative ? -value : value;
  }

  void arc(const double (&n)[16], Point offset) {
    const auto point = [&](double degrees) {
      const double angle = degrees * std::numbers::pi / 180;
      return Point{n[0] + n[2] * std::cos(angle) + offset.x, n[1] + n[3] * std::sin(angle) + offset.y};
    };
    const int steps = std::max(3, static_cast<int>(std::ceil(std::fabs(n[5] - n[4]) / 12)));
    Point from = point(n[4]);
    for (int i = 1; i <= steps; ++i) {
      const Point to = point(n[4] + (n[5] - n[4]) * i / steps);
      segment(from, to);
      from = to;
    }
  }

  void segment(Point from, Point to) {
    mask_.capsule({origin_.x + from.x * unit_, origin_.y + from.y * unit_},
                  {origin_.x + to.x * unit_, origin_.y + to.y * unit_}, radius_);
  }

  Mask& mask_;
  Point origin_;
  double unit_;
  double radius_;
};

/// Width without the gap after it, in glyph units.
double letter_width(char32_t letter) {
  if (letter == U' ') return kBlank;
  if (const auto composed = glyph_composition(letter)) letter = composed->base;
  const GlyphProgram* program = glyph_program(letter);
  return program != nullptr ? program->width : kBlank;
}

double advance(char32_t letter, const Lettering& lettering) {
  return (letter_width(letter) + (letter == U' ' ? 1.4 : kGap)) * lettering.size / kCapital;
}

bool is_small(char32_t letter) { return (letter >= U'a' && letter <= U'z') || letter == U'ı'; }

void draw_letter(Pen& pen, char32_t letter) {
  const auto composed = glyph_composition(letter);
  const char32_t base = composed ? composed->base : letter;
  const GlyphProgram* program = glyph_program(base);
  if (program == nullptr) return;
  pen.draw(program->strokes, {});
  if (!composed) return;
  const bool tall = base == U'd' || base == U't';  // their caron is placed beside them
  const double y = composed->below ? 15.2 : is_small(base) ? 1.6 : -3;
  const double x = tall ? program->width + 1.6 : program->width / 2;
  pen.draw(tall ? std::string_view("l 0.7 -2.4 0 0.4") : composed->mark, {x, y});
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte >> 5 == 6 ? 2 : byte >> 4 == 14 ? 3 : byte >> 3 == 30 ? 4 : 0;
    if (length == 0 || i + length > text.size()) {
      result.push_back(U'\uFFFD');
      ++i;
      continue;
    }
    char32_t point = length == 1 ? byte : byte & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    result.push_back(point);
    i += length;
  }
  return result;
}

double text_width(std::string_view text, const Lettering& lettering) {
  double width = 0;
  for (const char32_t letter : code_points(text)) width += advance(shown_letter(letter), lettering);
  return width;
}

std::string fit_text(std::string_view text, double width, const Lettering& lettering) {
  if (text_width(text, lettering) <= width) return std::string(text);
  std::size_t end = text.size();
  while (end > 0) {
    end = text.rfind(' ', end - 1);
    if (end == std::string_view::npos || end == 0) break;
    std::string shortened = std::string(text.substr(0, end)) + " …";
    if (text_width(shortened, lettering) <= width) return shortened;
  }
  return std::string(text.substr(0, text.find(' ')));
}

Mask draw_text(Size picture, std::string_view text, Point at, const Lettering& lettering) {
  const double margin = lettering.size * 0.3;
  Mask mask(picture, {at.x - margin, at.y - lettering.size - margin, at.x + text_width(text, lettering) + margin,
                      at.y + lettering.size * 0.3 + margin});
  for (const char32_t point : code_points(text)) {
    const char32_t letter = shown_letter(point);
    Pen pen(mask, {at.x, at.y - lettering.size}, lettering);
    draw_letter(pen, letter);
    at.x += advance(letter, lettering);
  }
  return mask;
}

}  // namespace receiverd::lettering
