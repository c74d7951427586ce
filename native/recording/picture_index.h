// Finds the access points of a recorded video stream, and the start of each picture. The entries are those of the `.ap`
// and
// `.sc` files that Enigma2 players use for seeking.
//
//   access point    file offset of the packet that starts a picture at which a decoder can start, and its PTS
//   structure entry file offset of a start code prefix, and 64 bits: the bytes after it (0-23), PTS present (24), PTS
//                   (31-63)
//
// The index contains MPEG-2 sequence, group and picture headers, and access unit delimiters of H.264 and HEVC. Access
// points are MPEG-2 sequence headers, delimiters that announce intra pictures, and the points detected by
// dvb/packets/random_access.h, so that streams without delimiters have some too. Pictures without a PTS of their own
// are not access points.
//
// Owned by the thread of the recording. Only the sink allocates memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dvb/packets/packet.h"
#include "dvb/packets/random_access.h"

namespace receiverd::recording {

/// Receives the entries, in the order of their offsets.
class PictureSink {
 public:
  virtual ~PictureSink() = default;
  virtual void access_point(std::uint64_t offset, std::uint64_t pts) = 0;
  virtual void structure(std::uint64_t offset, std::uint64_t data) = 0;
};

/// The PTS of the PES packet that this packet starts; nothing if the packet is scrambled or does not contain a PTS.
std::optional<std::uint64_t> pts_of(dvb::Packet packet);

class PictureIndex {
 public:
  explicit PictureIndex(PictureSink& sink) : sink_(sink) {}

  /// Starts a new stream with this codec. Unknown codecs have no entries.
  void begin(dvb::VideoCodec codec);

  /// Takes the next packet of the video stream, which is at `offset` in the file and must not be scrambled.
  void push(dvb::Packet packet, std::uint64_t offset);

 private:
  static constexpr std::size_t kMaxCarriedBytes =
      5;  // a start code prefix and the three bytes after it may span packets

  void begin_unit(dvb::Packet packet, std::uint64_t offset, wire::Bytes& payload);
  void scan(wire::Bytes payload, std::uint64_t offset);
  void start_code(const std::uint8_t* code, std::uint64_t offset);
  void report_structure(std::uint64_t offset, std::uint64_t bytes);
  void report_access_point();

  PictureSink& sink_;
  dvb::VideoCodec codec_ = dvb::VideoCodec::unknown;
  dvb::RandomAccessDetector detector_;
  bool detecting_ = false;
  bool in_unit_ = false;                           // a PES packet has started
  std::size_t skip_ = 0;                           // bytes of its header still to skip
  std::uint64_t unit_offset_ = 0;                  // of the packet that started the PES packet
  std::optional<std::uint64_t> pts_;               // of the PES packet, until its first picture has used it
  std::optional<std::uint64_t> access_point_pts_;  // PTS of the PES packet, until it has been reported as access point
  std::size_t carried_ = 0;
  std::array<std::uint8_t, kMaxCarriedBytes> carry_{};
  std::array<std::uint64_t, kMaxCarriedBytes> carry_offsets_{};
};

}  // namespace receiverd::recording
