// Tests of reading picture size and aspect ratio from MPEG-2, H.264 and HEVC headers.
#include "dvb/si/video_format.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "dvb/packets/packet.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

class BitWriter {
 public:
  BitWriter& bits(std::uint32_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bit(value >> i & 1U);
    return *this;
  }
  BitWriter& ue(std::uint32_t value) {
    unsigned length = 0;
    while ((value + 1) >> (length + 1) != 0) ++length;
    return bits(0, length).bits(value + 1, length + 1);
  }
  /// Appends the rbsp_stop_one_bit and returns the bytes.
  std::vector<std::uint8_t> finish() {
    bit(1);
    while (used_ % 8 != 0) bit(0);
    return bytes_;
  }

 private:
  void bit(std::uint32_t value) {
    if (used_ % 8 == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | value << (7 - used_ % 8));
    ++used_;
  }
  std::vector<std::uint8_t> bytes_;
  unsigned used_ = 0;
};

std::vector<std::uint8_t> unit(std::vector<std::uint8_t> head, const std::vector<std::uint8_t>& body) {
  std::vector<std::uint8_t> bytes{0, 0, 1};
  bytes.insert(bytes.end(), head.begin(), head.end());
  unsigned zeros = 0;
  for (const std::uint8_t byte : body) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push_back(3);
      zeros = 0;
    }
    zeros = byte == 0 ? zeros + 1 : 0;
    bytes.push_back(byte);
  }
  return bytes;
}

std::vector<std::uint8_t> mpeg2(unsigned width, unsigned height, unsigned aspect) {
  return unit({0xB3}, BitWriter().bits(width, 12).bits(height, 12).bits(aspect, 4).bits(3, 4).finish());
}

struct H264 {
  unsigned profile = 100;
  unsigned columns = 120;
  unsigned rows = 68;
  bool interlaced = false;
  unsigned bottom = 4;   // crop units
  unsigned shape = 0;    // aspect_ratio_idc, 0: no VUI
  unsigned point_x = 0;  // of the extended shape
  unsigned point_y = 0;
  bool scaling = false;
};

std::vector<std::uint8_t> h264(const H264& wanted) {
  BitWriter bits;
  bits.bits(wanted.profile, 8).bits(0, 8).bits(40, 8).ue(0);
  if (wanted.profile >= 100) {
    bits.ue(1).ue(0).ue(0).bits(0, 1).bits(wanted.scaling ? 1 : 0, 1);
    if (wanted.scaling) {
      bits.bits(1, 1);
      for (int i = 0; i < 16; ++i) bits.ue(0);  // no change from the previous one
      bits.bits(0, 7);
    }
  }
  bits.ue(0).ue(0).ue(4).ue(4).bits(0, 1).ue(wanted.columns - 1).ue(wanted.rows - 1);
  bits.bits(wanted.interlaced ? 0 : 1, 1);
  if (wanted.interlaced) bits.bits(0, 1);
  bits.bits(1, 1).bits(wanted.bottom == 0 ? 0 : 1, 1);
  if (wanted.bottom != 0) bits.ue(0).ue(0).ue(0).ue(wanted.bottom);
  bits.bits(wanted.shape == 0 ? 0 : 1, 1);
  if (wanted.shape != 0) {
    bits.bits(1, 1).bits(wanted.shape, 8);
    if (wanted.shape == 255) bits.bits(wanted.point_x, 16).bits(wanted.point_y, 16);
    bits.bits(0, 20);
  }
  return unit({0x67}, bits.finish());
}

std::vector<std::uint8_t> hevc(unsigned width, unsigned height, unsigned bottom, unsigned layers) {
  BitWriter bits;
  bits.bits(0, 4).bits(layers, 3).bits(1, 1);
  for (int i = 0; i < 12; ++i) bits.bits(0x15, 8);
  for (unsigned i = 0; i < layers; ++i) bits.bits(3, 2);
  if (layers > 0) bits.bits(0, 2 * (8 - layers));
  for (unsigned i = 0; i < layers * 12; ++i) bits.bits(0, 8);
  bits.ue(0).ue(1).ue(width).ue(height).bits(bottom == 0 ? 0 : 1, 1);
  if (bottom != 0) bits.ue(0).ue(0).ue(0).ue(bottom);
  bits.ue(0).ue(0);
  return unit({0x42, 0x01}, bits.finish());
}

void check(const std::vector<std::uint8_t>& stream, VideoCodec codec, unsigned width, unsigned height, double ratio) {
  const auto format = video_format(stream, codec);
  REQUIRE(format);
  CHECK(format->width == width);
  CHECK(format->height == height);
  CHECK(format->ratio == doctest::Approx(ratio));
}

}  // namespace

TEST_CASE("MPEG-2 has its size and aspect ratio in the sequence header") {
  check(mpeg2(720, 576, 3), VideoCodec::mpeg2, 720, 576, 16.0 / 9);
  check(mpeg2(544, 576, 2), VideoCodec::mpeg2, 544, 576, 4.0 / 3);
  check(mpeg2(1920, 1080, 1), VideoCodec::mpeg2, 1920, 1080, 16.0 / 9);
  CHECK_FALSE(video_format(mpeg2(0, 0, 3), VideoCodec::mpeg2));
  CHECK_FALSE(video_format(mpeg2(720, 576, 3), VideoCodec::h264));
}

TEST_CASE("H.264 has its format in the sequence parameter set, minus the cropping") {
  check(h264({}), VideoCodec::h264, 1920, 1080, 16.0 / 9);
  check(h264({.rows = 34, .interlaced = true, .bottom = 2}), VideoCodec::h264, 1920, 1080, 16.0 / 9);
  check(h264({.profile = 77, .columns = 45, .rows = 36, .bottom = 0, .shape = 4}), VideoCodec::h264, 720, 576,
        720.0 / 576 * 16 / 11);
  check(h264({.columns = 90, .shape = 255, .point_x = 4, .point_y = 3}), VideoCodec::h264, 1440, 1080, 16.0 / 9);
  check(h264({.scaling = true}), VideoCodec::h264, 1920, 1080, 16.0 / 9);
}

TEST_CASE("HEVC has its format in the sequence parameter set, after the profiles of its layers") {
  check(hevc(3840, 2160, 0, 0), VideoCodec::hevc, 3840, 2160, 16.0 / 9);
  check(hevc(1920, 1088, 4, 2), VideoCodec::hevc, 1920, 1080, 16.0 / 9);
}

TEST_CASE("a truncated or impossible header yields no format") {
  for (const auto& [whole, codec] :
       {std::pair{mpeg2(720, 576, 3), VideoCodec::mpeg2}, std::pair{h264({}), VideoCodec::h264},
        std::pair{hevc(1920, 1088, 4, 1), VideoCodec::hevc}}) {
    for (std::size_t size = 0; size < 7; ++size) CHECK_FALSE(video_format({whole.data(), size}, codec));
  }
  CHECK_FALSE(video_format(h264({.rows = 2, .bottom = 16}), VideoCodec::h264));
  CHECK_FALSE(video_format(h264({.columns = 8000}), VideoCodec::h264));
  CHECK_FALSE(video_format(unit({0x67}, std::vector<std::uint8_t>(64, 0)), VideoCodec::h264));
}

TEST_CASE("the format is found in the packets of the video, whatever the chunk size") {
  std::vector<std::uint8_t> payload{0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5, 1, 2, 3, 4, 5};
  const auto access_unit = unit({0x09}, {0xF0});
  payload.insert(payload.end(), access_unit.begin(), access_unit.end());
  const auto parameters = h264({});
  payload.insert(payload.end(), parameters.begin(), parameters.end());
  payload.resize(184 * 2, 0xFF);
  const auto packet = [&](std::uint16_t pid, bool start, std::size_t part, std::uint8_t scrambling = 0) {
    std::vector<std::uint8_t> bytes{0x47, static_cast<std::uint8_t>((start ? 0x40 : 0) | pid >> 8),
                                    static_cast<std::uint8_t>(pid), static_cast<std::uint8_t>(0x10 | scrambling << 6)};
    bytes.insert(bytes.end(), payload.begin() + static_cast<std::ptrdiff_t>(part * 184),
                 payload.begin() + static_cast<std::ptrdiff_t>((part + 1) * 184));
    return bytes;
  };
  VideoFormatFinder finder(0x140, VideoCodec::h264);
  CHECK_FALSE(finder.feed(packet(0x140, false, 0)));    // in the middle of a PES packet
  CHECK_FALSE(finder.feed(packet(0x141, true, 0)));     // of another stream
  CHECK_FALSE(finder.feed(packet(0x140, true, 0, 2)));  // scrambled
  CHECK_FALSE(finder.feed(packet(0x140, true, 0)));
  CHECK_FALSE(finder.feed(packet(0x140, false, 1)));
  CHECK(finder.feed(packet(0x140, true, 0)));  // the next access unit ends it
  CHECK(finder.format()->height == 1080);
}
