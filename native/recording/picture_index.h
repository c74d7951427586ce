// Finds the pictures of a recorded video stream: where it can be entered, and where each picture begins. The entries
// are those of the files that players of the Enigma2 world seek with, `.ap` and `.sc`.
//
//   access point    file offset of the packet that begins a picture a decoder can start with, and its PTS
//   structure entry file offset of a start code prefix, and 64 bits: the bytes behind it (0-23), PTS there (24), PTS
//                   (31-63)
//
// What is found: MPEG-2 sequence, group and picture headers; access unit delimiters of H.264 and HEVC. Access points
// are MPEG-2 sequence headers, delimiters that announce intra pictures, and whatever random_access.h holds for one, so
// that streams without delimiters have some too. Pictures without PTS of their own are no access points.
//
// Owned by the thread of the recording. Nothing is allocated but what the sink allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dvb/packet.h"
#include "dvb/random_access.h"

namespace receiverd::recording {

/// Takes what is found, in the order of the offsets.
class PictureSink {
 public:
  virtual ~PictureSink() = default;
  virtual void access_point(std::uint64_t offset, std::uint64_t pts) = 0;
  virtual void structure(std::uint64_t offset, std::uint64_t data) = 0;
};

/// PTS of the PES packet that this packet begins (ISO/IEC 13818-1 §2.4.3.7); nothing when it has none, or does not lie
/// in this packet.
std::optional<std::uint64_t> pts_of(dvb::Packet packet);

class PictureIndex {
 public:
  explicit PictureIndex(PictureSink& sink) : sink_(sink) {}

  /// Begins anew with a stream of this codec. Unknown codecs have no entries.
  void begin(dvb::VideoCodec codec);

  /// The next packet of the video stream, not scrambled, which lies at `offset` in the file.
  void push(dvb::Packet packet, std::uint64_t offset);

 private:
  static constexpr std::size_t kCarry = 5;  // a prefix and the three bytes behind it may lie in two packets or more

  void begin_unit(dvb::Packet packet, std::uint64_t offset, wire::Bytes& payload);
  void scan(wire::Bytes payload, std::uint64_t offset);
  void start_code(const std::uint8_t* code, std::uint64_t offset);
  void entry(std::uint64_t offset, std::uint64_t bytes);
  void entered();

  PictureSink& sink_;
  dvb::VideoCodec codec_ = dvb::VideoCodec::unknown;
  dvb::RandomAccessDetector detector_;
  bool detecting_ = false;
  bool in_unit_ = false;                // a PES packet has begun
  std::size_t skip_ = 0;                // bytes of its header still to pass
  std::uint64_t unit_offset_ = 0;       // of the packet that began it
  std::optional<std::uint64_t> pts_;    // until the first picture in it has taken it
  std::optional<std::uint64_t> entry_;  // PTS under which it becomes an access point; nothing when it has
  std::size_t carried_ = 0;
  std::array<std::uint8_t, kCarry> carry_{};
  std::array<std::uint64_t, kCarry> carry_offsets_{};
};

}  // namespace receiverd::recording
