// A small MPEG-1 Audio Layer II encoder (ISO/IEC 11172-3): 48 kHz, one or two channels, no joint stereo, no CRC.
//
// A frame is a pure function of 1152 samples and the 480 before them (the memory of the polyphase filter bank). The
// frames of a repeating sound can therefore be encoded in any order, once each, and reused indefinitely.
#pragma once

#include <cstdint>
#include <span>

#include "dvb/demo/bit_writer.h"

namespace receiverd::dvb::demo {

inline constexpr int kSampleRate = 48000;
inline constexpr std::size_t kFrameSamples = 1152;      ///< 24 ms
inline constexpr std::size_t kFilterMemory = 512 - 32;  ///< previous samples that a frame needs

struct AudioFormat {
  int channels = 2;
  int kilobits =
      192;  ///< bit rate: of 112, 128, 160, 192, 224, 256 for two channels, 56, 64, 80, 96, 112, 128, 160, 192 for one
};

/// Bytes per frame: 3 for each kbit/s.
inline std::size_t frame_size(const AudioFormat& format) { return static_cast<std::size_t>(format.kilobits) * 3; }

/// Appends one frame. `samples[c]` has kFilterMemory + kFrameSamples values in -1..1, oldest first.
void encode_layer2_frame(ByteVector& out, const AudioFormat& format, std::span<const std::span<const float>> samples);

}  // namespace receiverd::dvb::demo
