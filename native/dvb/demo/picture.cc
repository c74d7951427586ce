#include "dvb/demo/picture.h"

#include <cstring>

namespace receiverd::dvb::demo {
namespace {

const std::uint8_t* block_row(const std::vector<std::uint8_t>& plane, int width, int x, int y) {
  return plane.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
}

}  // namespace

bool same_macroblock(const Picture& a, const Picture& b, int column, int row) {
  for (int line = 0; line < 16; ++line) {
    const int y = row * 16 + line;
    if (std::memcmp(block_row(a.y, a.width, column * 16, y), block_row(b.y, b.width, column * 16, y), 16) != 0) {
      return false;
    }
  }
  for (int line = 0; line < 8; ++line) {
    const int y = row * 8 + line;
    const int half = a.width / 2;
    if (std::memcmp(block_row(a.cb, half, column * 8, y), block_row(b.cb, half, column * 8, y), 8) != 0 ||
        std::memcmp(block_row(a.cr, half, column * 8, y), block_row(b.cr, half, column * 8, y), 8) != 0) {
      return false;
    }
  }
  return true;
}

void copy_macroblocks(const Picture& from, Picture& to, int row, int first, int end) {
  const auto copy = [](const std::vector<std::uint8_t>& source, std::vector<std::uint8_t>& target, int width, int x,
                       int y, int length) {
    const auto offset = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    std::memcpy(target.data() + offset, source.data() + offset, static_cast<std::size_t>(length));
  };
  for (int line = 0; line < 16; ++line) {
    copy(from.y, to.y, from.width, first * 16, row * 16 + line, (end - first) * 16);
  }
  for (int line = 0; line < 8; ++line) {
    copy(from.cb, to.cb, from.width / 2, first * 8, row * 8 + line, (end - first) * 8);
    copy(from.cr, to.cr, from.width / 2, first * 8, row * 8 + line, (end - first) * 8);
  }
}

}  // namespace receiverd::dvb::demo
