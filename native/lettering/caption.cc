#include "lettering/caption.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lettering/glyphs.h"

namespace receiverd::lettering {
namespace {

// Width and height of the picture in drawing units (16:9), whatever its size in pixels.
constexpr double kWidth = 1024;
constexpr double kHeight = 576;
constexpr double kMargin = 64;

constexpr double kCapital = 14;  // height of a capital in units of glyphs.h
constexpr double kGap = 3.4;     // between two glyphs
constexpr double kBlank = 4.2;   // width of a space

struct Lettering {
  double size;    ///< height of a capital in drawing units
  double weight;  ///< pen width as a fraction of `size`
  int shade;      ///< brightness above black, in video levels: 0..219
};

constexpr Lettering kHeading{.size = 54, .weight = 0.12, .shade = 219};
constexpr Lettering kText{.size = 30, .weight = 0.11, .shade = 151};

struct Point {
  double x = 0;
  double y = 0;
};

/// The scanlines of a picture. Where strokes overlap, the brighter one is visible.
class Picture {
 public:
  Picture(int width, int height)
      : width_(width),
        height_(height),
        rows_((static_cast<std::size_t>(width) + 1) * static_cast<std::size_t>(height), '\0') {}

  /// Limits drawing to this area, in drawing units.
  void clip(Point from, Point to) {
    // Edges are even; the last column and row of a picture of even size can be reached.
    const auto pixel = [](double value, int limit) { return static_cast<int>(std::clamp(value, 0.0, limit + 0.0)); };
    left_ = pixel(from.x * scale_x_, width_) & ~1;
    top_ = pixel(from.y * scale_y_, height_) & ~1;
    right_ = std::min(width_, (pixel(to.x * scale_x_, width_) + 2) & ~1);
    bottom_ = std::min(height_, (pixel(to.y * scale_y_, height_) + 2) & ~1);
  }

  /// Draws a line with round ends, in drawing units.
  void draw_line_segment(Point from, Point to, double radius, int shade) {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = dx * dx + dy * dy;
    const auto clip = [](double value, int low, int high) {
      return static_cast<int>(std::clamp(value, low + 0.0, high + 0.0));
    };
    const int x0 = clip(std::floor((std::min(from.x, to.x) - radius) * scale_x_) - 1, left_, right_);
    const int x1 = clip(std::ceil((std::max(from.x, to.x) + radius) * scale_x_) + 1, left_, right_);
    const int y0 = clip(std::floor((std::min(from.y, to.y) - radius) * scale_y_) - 1, top_, bottom_);
    const int y1 = clip(std::ceil((std::max(from.y, to.y) + radius) * scale_y_) + 1, top_, bottom_);
    const double sharpness = (scale_x_ + scale_y_) / 2;
    for (int row = y0; row < y1; ++row) {
      char* const pixels = rows_.data() + static_cast<std::ptrdiff_t>(row) * (width_ + 1) + 1;
      for (int column = x0; column < x1; ++column) {
        const double x = (column + 0.5) / scale_x_ - from.x;
        const double y = (row + 0.5) / scale_y_ - from.y;
        const double part = length > 0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0;
        const double ax = x - part * dx;
        const double ay = y - part * dy;
        const double inside = 0.5 - (std::sqrt(ax * ax + ay * ay) - radius) * sharpness;
        if (inside <= 0) continue;
        const int coverage = inside >= 1 ? 255 : static_cast<int>(inside * 255);
        const int level = (shade * coverage + 127) / 255;
        const auto value = static_cast<std::uint8_t>(level * 255 / 219);
        if (value > static_cast<std::uint8_t>(pixels[column])) pixels[column] = static_cast<char>(value);
      }
    }
  }

  std::string take() { return std::move(rows_); }

 private:
  int width_;
  int height_;
  double scale_x_ = width_ / kWidth;  // pixels per unit
  double scale_y_ = height_ / kHeight;
  std::string rows_;
  int left_ = 0;
  int top_ = 0;
  int right_ = 0;
  int bottom_ = 0;
};

/// Draws glyph programs (glyphs.h) with their origin at `origin`.
class Pen {
 public:
  Pen(Picture& picture, Point origin, const Lettering& lettering)
      : picture_(picture), origin_(origin), lettering_(lettering) {}

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
      numbers[count++] = read_number(at, end);
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

  /// Reads a decimal number without exponent. std::from_chars for double is missing in older libraries.
  static double read_number(const char*& at, const char* end) {
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
    const double unit = lettering_.size / kCapital;
    picture_.draw_line_segment({origin_.x + from.x * unit, origin_.y + from.y * unit},
                               {origin_.x + to.x * unit, origin_.y + to.y * unit},
                               lettering_.size * lettering_.weight / 2, lettering_.shade);
  }

  Picture& picture_;
  Point origin_;
  const Lettering& lettering_;
};

/// Width of a letter in glyph units, without the gap after it.
double letter_width(char32_t letter) {
  if (letter == U' ') return kBlank;
  if (const auto composed = glyph_composition(letter)) letter = composed->base;
  const GlyphProgram* program = glyph_program(letter);
  return program != nullptr ? program->width : kBlank;
}

double advance_width(char32_t letter, const Lettering& lettering) {
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
  const bool tall = base == U'd' || base == U't';  // the caron is placed beside them
  const double y = composed->below ? 15.2 : is_small(base) ? 1.6 : -3;
  const double x = tall ? program->width + 1.6 : program->width / 2;
  pen.draw(tall ? std::string_view("l 0.7 -2.4 0 0.4") : composed->mark, {x, y});
}

/// Width of a text in drawing units.
double text_width(std::string_view text, const Lettering& lettering) {
  double width = 0;
  for (const char32_t letter : code_points(text)) width += advance_width(shown_letter(letter), lettering);
  return width;
}

/// Shortens `text` at a word boundary, with an ellipsis, so that it is at most `width` wide.
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

/// Draws one line, centred horizontally with its baseline at `y`.
void draw_line(Picture& picture, std::string_view line, double y, const Lettering& lettering) {
  const std::string text = fit_text(line, kWidth - 2 * kMargin, lettering);
  const double width = text_width(text, lettering);
  Point at{(kWidth - width) / 2, y};
  const double margin = lettering.size * 0.3;
  picture.clip({at.x - margin, at.y - lettering.size - margin},
               {at.x + width + margin, at.y + lettering.size * 0.3 + margin});
  for (const char32_t point : code_points(text)) {
    const char32_t letter = shown_letter(point);
    Pen pen(picture, {at.x, at.y - lettering.size}, lettering);
    draw_letter(pen, letter);
    at.x += advance_width(letter, lettering);
  }
}

}  // namespace

std::string caption(int width, int height, std::string_view heading, std::string_view text) {
  Picture picture(width, height);
  draw_line(picture, heading, 290, kHeading);
  draw_line(picture, text, 360, kText);
  return picture.take();
}

}  // namespace receiverd::lettering
