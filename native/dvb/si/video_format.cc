#include "dvb/si/video_format.h"

#include <algorithm>
#include <array>

#include "dvb/packets/packet.h"

namespace receiverd::dvb {

namespace {

/// Largest width or height that a level of these codecs allows, in pixels.
constexpr unsigned kMaxSide = 8192;
constexpr unsigned kMinSide = 16;

/// Reads bits, most significant first. After the end it returns zeros, and ok() is false.
class BitReader {
 public:
  explicit BitReader(wire::Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }

  unsigned bit() {
    const std::size_t byte = position_ / 8;
    if (byte >= bytes_.size()) {
      ok_ = false;
      return 0;
    }
    const unsigned value = bytes_[byte] >> (7 - position_ % 8) & 1U;
    ++position_;
    return value;
  }

  /// `count` is at most 32.
  std::uint32_t bits(unsigned count) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 1 | bit();
    return value;
  }

  void skip(std::size_t count) {
    position_ += count;
    if (position_ > bytes_.size() * 8) ok_ = false;
  }

  /// ue(v) of ISO/IEC 14496-10 §9.1, at most 2^31 - 2.
  std::uint32_t exp_golomb() {
    unsigned zeros = 0;
    while (bit() == 0) {
      if (!ok_ || ++zeros > 30) {
        ok_ = false;
        return 0;
      }
    }
    return (std::uint32_t{1} << zeros) - 1 + bits(zeros);
  }

  /// se(v) of §9.1.1.
  std::int32_t signed_exp_golomb() {
    const std::uint32_t code = exp_golomb();
    const auto half = static_cast<std::int32_t>((code + 1) / 2);
    return code % 2 == 1 ? half : -half;
  }

 private:
  wire::Bytes bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

std::optional<VideoFormat> checked_format(std::uint32_t width, std::uint32_t height, double ratio) {
  if (width < kMinSide || height < kMinSide || width > kMaxSide || height > kMaxSide) return std::nullopt;
  return VideoFormat{width, height, ratio};
}

/// Parses the bytes after the start code. aspect_ratio_information is that of MPEG-2 (table 6-3); MPEG-1 defines it
/// differently, and is not broadcast.
std::optional<VideoFormat> mpeg2_sequence(wire::Bytes header) {
  BitReader bits(header);
  const std::uint32_t width = bits.bits(12);
  const std::uint32_t height = bits.bits(12);
  const std::uint32_t aspect = bits.bits(4);
  if (!bits.ok() || height == 0) return std::nullopt;
  const double square = static_cast<double>(width) / height;
  return checked_format(width, height, aspect == 2 ? 4.0 / 3 : aspect == 3 ? 16.0 / 9 : aspect == 4 ? 2.21 : square);
}

/// A NAL unit without emulation_prevention_three_byte (ISO/IEC 14496-10 §7.4.1).
std::vector<std::uint8_t> without_emulation_prevention(wire::Bytes unit) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(unit.size());
  unsigned zeros = 0;
  for (const std::uint8_t byte : unit) {
    if (zeros >= 2 && byte == 3) {
      zeros = 0;
      continue;
    }
    zeros = byte == 0 ? zeros + 1 : 0;
    bytes.push_back(byte);
  }
  return bytes;
}

void skip_scaling_list(BitReader& bits, int size) {
  int last = 8;
  int next = 8;
  for (int i = 0; i < size && bits.ok(); ++i) {
    if (next != 0) next = ((last + bits.signed_exp_golomb()) % 256 + 256) % 256;
    if (next != 0) last = next;
  }
}

/// Profiles with chroma_format_idc and what follows it (§7.3.2.1.1).
bool has_chroma_format(std::uint32_t profile) {
  constexpr std::array<std::uint8_t, 13> kProfiles{100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};
  return std::ranges::find(kProfiles, profile) != kProfiles.end();
}

/// Pixel aspect ratios, width to height, by aspect_ratio_idc (table E-1); the first is "unspecified".
constexpr std::array<double, 17> kPixelAspectRatios{1.0,       1.0,        12.0 / 11, 10.0 / 11, 16.0 / 11, 40.0 / 33,
                                                    24.0 / 11, 20.0 / 11,  32.0 / 11, 80.0 / 33, 18.0 / 11, 15.0 / 11,
                                                    64.0 / 33, 160.0 / 99, 4.0 / 3,   3.0 / 2,   2.0};
constexpr std::uint32_t kExtendedRatio = 255;

/// Reads the start of vui_parameters(), if present (Annex E.1.1).
double pixel_aspect_ratio(BitReader& bits) {
  const bool has_usability_information = bits.bit() == 1;
  if (!has_usability_information || bits.bit() == 0) return 1;
  const std::uint32_t aspect_ratio_idc = bits.bits(8);
  if (aspect_ratio_idc == kExtendedRatio) {
    const std::uint32_t width = bits.bits(16);
    const std::uint32_t height = bits.bits(16);
    return bits.ok() && width != 0 && height != 0 ? static_cast<double>(width) / height : 1;
  }
  return bits.ok() && aspect_ratio_idc < kPixelAspectRatios.size() ? kPixelAspectRatios[aspect_ratio_idc] : 1;
}

/// Total cropping in pixels, horizontal and vertical.
struct Cropping {
  std::uint32_t horizontal = 0;
  std::uint32_t vertical = 0;
};

/// SubWidthC and SubHeightC (table 6-1) by chroma_format_idc; 1 each for no or separate chroma.
unsigned chroma_width(std::uint32_t format) { return format == 1 || format == 2 ? 2 : 1; }
unsigned chroma_height(std::uint32_t format) { return format == 1 ? 2 : 1; }

Cropping read_cropping(BitReader& bits, unsigned unit_x, unsigned unit_y) {
  if (bits.bit() == 0) return {};
  std::array<std::uint32_t, 4> sides{};
  for (std::uint32_t& side : sides) side = std::min<std::uint32_t>(bits.exp_golomb(), kMaxSide);
  return {(sides[0] + sides[1]) * unit_x, (sides[2] + sides[3]) * unit_y};
}

std::optional<VideoFormat> cropped_format(std::uint32_t width, std::uint32_t height, Cropping cropping,
                                          double pixel_ratio) {
  if (cropping.horizontal >= width || cropping.vertical >= height) return std::nullopt;
  width -= cropping.horizontal;
  height -= cropping.vertical;
  return checked_format(width, height, pixel_ratio * width / height);
}

/// Parses the bytes after the NAL header.
std::optional<VideoFormat> h264_parameters(wire::Bytes unit) {
  const std::vector<std::uint8_t> bytes = without_emulation_prevention(unit);
  BitReader bits(bytes);
  const std::uint32_t profile = bits.bits(8);
  bits.skip(16);      // constraint flags, level_idc
  bits.exp_golomb();  // seq_parameter_set_id
  std::uint32_t chroma = 1;
  if (has_chroma_format(profile)) {
    chroma = bits.exp_golomb();
    if (chroma == 3) bits.skip(1);
    bits.exp_golomb();  // bit_depth_luma
    bits.exp_golomb();  // bit_depth_chroma
    bits.skip(1);       // qpprime_y_zero_transform_bypass_flag
    if (bits.bit() == 1) {
      for (int i = 0; i < (chroma == 3 ? 12 : 8); ++i) {
        if (bits.bit() == 1) skip_scaling_list(bits, i < 6 ? 16 : 64);
      }
    }
  }
  bits.exp_golomb();  // log2_max_frame_num
  const std::uint32_t order_type = bits.exp_golomb();
  if (order_type == 0) {
    bits.exp_golomb();
  } else if (order_type == 1) {
    bits.skip(1);
    bits.exp_golomb();
    bits.exp_golomb();
    const std::uint32_t frames = std::min<std::uint32_t>(bits.exp_golomb(), 255);
    for (std::uint32_t i = 0; i < frames; ++i) bits.exp_golomb();
  }
  bits.exp_golomb();  // max_num_ref_frames
  bits.skip(1);
  const std::uint32_t columns = std::min<std::uint32_t>(bits.exp_golomb(), kMaxSide) + 1;
  const std::uint32_t rows = std::min<std::uint32_t>(bits.exp_golomb(), kMaxSide) + 1;
  const unsigned fields = bits.bit() == 1 ? 1 : 2;  // frame_mbs_only_flag
  if (fields == 2) bits.skip(1);
  bits.skip(1);
  const Cropping cropping = read_cropping(bits, chroma_width(chroma), chroma_height(chroma) * fields);
  if (!bits.ok()) return std::nullopt;
  return cropped_format(columns * 16, rows * 16 * fields, cropping, pixel_aspect_ratio(bits));
}

/// Parses the bytes after the NAL header, up to the size.
std::optional<VideoFormat> hevc_parameters(wire::Bytes unit) {
  const std::vector<std::uint8_t> bytes = without_emulation_prevention(unit);
  BitReader bits(bytes);
  bits.skip(4);  // sps_video_parameter_set_id
  const std::uint32_t layers = bits.bits(3);
  bits.skip(1);
  // profile_tier_level(1, layers) (§7.3.3): 88 bits of profile and 8 of level, then both for each sub-layer that has
  // them.
  constexpr std::size_t kProfile = 88;
  constexpr std::size_t kLevel = 8;
  bits.skip(kProfile + kLevel);
  std::size_t sub_layer_bits = 0;
  for (std::uint32_t i = 0; i < layers; ++i) {
    sub_layer_bits += bits.bit() == 1 ? kProfile : 0;
    sub_layer_bits += bits.bit() == 1 ? kLevel : 0;
  }
  if (layers > 0) bits.skip(std::size_t{2} * (8 - layers));
  bits.skip(sub_layer_bits);
  bits.exp_golomb();  // sps_seq_parameter_set_id
  const std::uint32_t chroma = bits.exp_golomb();
  if (chroma == 3) bits.skip(1);
  const std::uint32_t width = std::min<std::uint32_t>(bits.exp_golomb(), 2 * kMaxSide);
  const std::uint32_t height = std::min<std::uint32_t>(bits.exp_golomb(), 2 * kMaxSide);
  const Cropping cropping = read_cropping(bits, chroma_width(chroma), chroma_height(chroma));
  if (!bits.ok()) return std::nullopt;
  return cropped_format(width, height, cropping, 1);
}

/// Parses one unit: the bytes after a start code, up to the next one.
std::optional<VideoFormat> unit_format(wire::Bytes unit, VideoCodec codec) {
  constexpr std::uint8_t kSequenceHeader = 0xB3;
  constexpr unsigned kH264Parameters = 7;
  constexpr unsigned kHevcParameters = 33;
  if (unit.size() < 3) return std::nullopt;
  switch (codec) {
    case VideoCodec::mpeg2:
      return unit[0] == kSequenceHeader ? mpeg2_sequence(unit.subspan(1)) : std::nullopt;
    case VideoCodec::h264:
      return (unit[0] & 0x1F) == kH264Parameters ? h264_parameters(unit.subspan(1)) : std::nullopt;
    case VideoCodec::hevc:
      return (unit[0] >> 1 & 0x3F) == kHevcParameters ? hevc_parameters(unit.subspan(2)) : std::nullopt;
    case VideoCodec::unknown:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<VideoFormat> video_format(wire::Bytes stream, VideoCodec codec) {
  constexpr std::array<std::uint8_t, 3> kStartCode{0, 0, 1};
  auto found = std::search(stream.begin(), stream.end(), kStartCode.begin(), kStartCode.end());
  while (found != stream.end()) {
    const auto begin = found + static_cast<std::ptrdiff_t>(kStartCode.size());
    found = std::search(begin, stream.end(), kStartCode.begin(), kStartCode.end());
    if (const auto format = unit_format({begin, found}, codec)) return format;
  }
  return std::nullopt;
}

bool VideoFormatFinder::feed(wire::Bytes packets) {
  for (; packets.size() >= kPacketSize && !format_; packets = packets.subspan(kPacketSize)) {
    const Packet packet(packets.data());
    if (packet.pid() != pid_ || packet.scrambling_control() != 0) continue;
    wire::Bytes payload = packet.payload();
    if (packet.payload_unit_start()) {
      parse_unit();
      unit_.clear();
      // PES header: start code and stream_id 4, length 2, flags 2, PES_header_data_length 1, that many bytes.
      collecting_ = payload.size() >= 9;
      if (!collecting_) continue;
      payload = payload.subspan(std::min(payload.size(), 9 + std::size_t{payload[8]}));
    }
    if (!collecting_) continue;
    const wire::Bytes taken = payload.first(std::min(payload.size(), kMaxExaminedBytes - unit_.size()));
    unit_.insert(unit_.end(), taken.begin(), taken.end());
    if (unit_.size() == kMaxExaminedBytes) {
      parse_unit();
      collecting_ = false;
    }
  }
  return format_.has_value();
}

void VideoFormatFinder::parse_unit() {
  if (collecting_ && !format_) format_ = video_format(unit_, codec_);
}

}  // namespace receiverd::dvb
