// Size and shape of the picture, from what a video stream says of itself at each random access point:
//
//   MPEG-1, MPEG-2  sequence_header()             (ISO/IEC 13818-2 §6.2.2.1)
//   H.264           seq_parameter_set_rbsp()      (ISO/IEC 14496-10 §7.3.2.1, Annex E)
//   HEVC            seq_parameter_set_rbsp()      (ISO/IEC 23008-2 §7.3.2.2); its points are taken as square
//
// Every field is read with a bound, and what claims no possible size counts as not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dvb/random_access.h"
#include "wire/bytes.h"

namespace receiverd::dvb {

struct VideoFormat {
  unsigned width = 0;  ///< points of a line, as they are shown
  unsigned height = 0;
  double ratio = 0;  ///< width to height of the picture on the screen: 1.78 for 16:9

  bool operator==(const VideoFormat&) const = default;
};

/// The format said by the first access unit in `stream`, bytes of the elementary stream from anywhere in it.
std::optional<VideoFormat> video_format(wire::Bytes stream, VideoCodec codec);

/// Looks for it in transport packets.
class VideoFormatFinder {
 public:
  VideoFormatFinder(std::uint16_t pid, VideoCodec codec) : pid_(pid), codec_(codec) {}

  /// Whole packets in order. True as soon as the format is known; nothing more is read then.
  bool feed(wire::Bytes packets);

  const std::optional<VideoFormat>& format() const { return format_; }

 private:
  /// Bytes of an access unit that are looked at: parameter sets stand in front of the picture.
  static constexpr std::size_t kLookedAt = 4096;

  void look();

  const std::uint16_t pid_;
  const VideoCodec codec_;
  bool collecting_ = false;
  std::vector<std::uint8_t> unit_;
  std::optional<VideoFormat> format_;
};

}  // namespace receiverd::dvb
