// Picture size and aspect ratio, from the headers that a video stream repeats at each random access point:
//
//   MPEG-1, MPEG-2  sequence_header()             (ISO/IEC 13818-2 §6.2.2.1)
//   H.264           seq_parameter_set_rbsp()      (ISO/IEC 14496-10 §7.3.2.1, Annex E)
//   HEVC            seq_parameter_set_rbsp()      (ISO/IEC 23008-2 §7.3.2.2); its pixels are assumed square
//
// Every read is bounds-checked, and an impossible size counts as missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dvb/packets/random_access.h"
#include "wire/bytes.h"

namespace receiverd::dvb {

struct VideoFormat {
  unsigned width = 0;  ///< pixels per line, after cropping
  unsigned height = 0;
  double ratio = 0;  ///< display aspect ratio, width to height: 1.78 for 16:9

  bool operator==(const VideoFormat&) const = default;
};

/// The first format found in `stream`, bytes of the elementary stream from any position.
std::optional<VideoFormat> video_format(wire::Bytes stream, VideoCodec codec);

/// Finds the format in transport packets.
class VideoFormatFinder {
 public:
  VideoFormatFinder(std::uint16_t pid, VideoCodec codec) : pid_(pid), codec_(codec) {}

  /// Takes whole packets in order. Returns true as soon as the format is known, and reads no more packets then.
  bool feed(wire::Bytes packets);

  const std::optional<VideoFormat>& format() const { return format_; }

 private:
  /// Bytes examined per access unit: parameter sets precede the picture.
  static constexpr std::size_t kMaxExaminedBytes = 4096;

  void parse_unit();

  const std::uint16_t pid_;
  const VideoCodec codec_;
  bool collecting_ = false;
  std::vector<std::uint8_t> unit_;
  std::optional<VideoFormat> format_;
};

}  // namespace receiverd::dvb
