// Decides whether a decoder can start at a video access unit (ISO/IEC 13818-1 §2.1.106, "random access").
//
// A PES packet of video in DVB starts with an access unit (TS 101 154 §4.1.5). A random access point is recognised by:
//
//   any codec       random_access_indicator in the adaptation field of its first packet
//   MPEG-1, MPEG-2  sequence_header_code 0xB3 before the first picture_start_code     (ISO/IEC 13818-2 §6.2.2)
//   H.264           sequence parameter set, IDR slice, or recovery point SEI before other slices
//   HEVC            video or sequence parameter set, or an IRAP slice, before other slices
//
// With other codecs, every PES packet counts as a random access point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dvb/packets/packet.h"

namespace receiverd::dvb {

enum class VideoCodec : std::uint8_t { unknown, mpeg2, h264, hevc };

/// From stream_type of the PMT (ISO/IEC 13818-1 table 2-34).
VideoCodec video_codec(std::uint8_t stream_type);

class RandomAccessDetector {
 public:
  enum class Verdict : std::uint8_t { undecided, yes, no };

  /// Starts a PES packet. With `unknown` and `guess_codec`, the codec is guessed from the first start codes
  /// (LoopSurvey, which reads no PMT).
  void begin(VideoCodec codec, bool guess_codec = false);

  /// Takes the transport packets of the PES packet in order, the first with payload_unit_start. Do not call it again
  /// after a decision.
  Verdict push(Packet packet);

 private:
  Verdict start_code(std::uint8_t value);
  Verdict sei_byte(std::uint8_t value);

  VideoCodec codec_ = VideoCodec::unknown;
  bool guess_ = false;
  bool first_ = true;
  std::size_t skip_ = 0;  // bytes of the PES header still to skip
  std::uint32_t window_ = 0xFFFFFFFF;
  enum class Sei : std::uint8_t { none, type, size, body } sei_ = Sei::none;
  std::size_t sei_type_ = 0;
  std::size_t sei_left_ = 0;
};

}  // namespace receiverd::dvb
