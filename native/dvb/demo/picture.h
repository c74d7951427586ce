// A picture in the format of MPEG-2 Main Profile: 8-bit Y, Cb, Cr in 4:2:0, ITU-R BT.601 levels (black 16, white 235).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace receiverd::dvb::demo {

struct Colour {
  std::uint8_t y = 16;
  std::uint8_t cb = 128;
  std::uint8_t cr = 128;
};

/// 0xRRGGBB as BT.601 Y'CbCr.
constexpr Colour rgb(std::uint32_t value) {
  const double r = static_cast<double>(value >> 16 & 0xFF) / 255;
  const double g = static_cast<double>(value >> 8 & 0xFF) / 255;
  const double b = static_cast<double>(value & 0xFF) / 255;
  return {static_cast<std::uint8_t>(16.5 + 65.481 * r + 128.553 * g + 24.966 * b),
          static_cast<std::uint8_t>(128.5 - 37.797 * r - 74.203 * g + 112.0 * b),
          static_cast<std::uint8_t>(128.5 + 112.0 * r - 93.786 * g - 18.214 * b)};
}

/// Mixes a `part` of `to` into `from`, 0..1.
constexpr Colour mix(Colour from, Colour to, double part) {
  const auto channel = [part](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a + (b - a) * part + 0.5);
  };
  return {channel(from.y, to.y), channel(from.cb, to.cb), channel(from.cr, to.cr)};
}

/// Width and height are multiples of 16.
struct Picture {
  Picture(int width_of, int height_of)
      : width(width_of),
        height(height_of),
        y(static_cast<std::size_t>(width_of * height_of), 16),
        cb(static_cast<std::size_t>(width_of * height_of / 4), 128),
        cr(static_cast<std::size_t>(width_of * height_of / 4), 128) {}

  int width;
  int height;
  std::vector<std::uint8_t> y;
  std::vector<std::uint8_t> cb;
  std::vector<std::uint8_t> cr;

  int columns() const { return width / 16; }
  int rows() const { return height / 16; }
};

/// Whether macroblock (column, row) is the same in both pictures.
bool same_macroblock(const Picture& a, const Picture& b, int column, int row);

/// Copies macroblocks [first, end) of `row`.
void copy_macroblocks(const Picture& from, Picture& to, int row, int first, int end);

}  // namespace receiverd::dvb::demo
