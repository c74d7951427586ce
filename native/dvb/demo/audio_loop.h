// One audio stream as encoded Layer II frames. Each frame of the loop is encoded when it is first due and then cached
// (12 s at 192 kbit/s are 288 kB), so after the first round the audio costs no computation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dvb/demo/layer2_encoder.h"
#include "dvb/demo/tunes.h"

namespace receiverd::dvb::demo {

class AudioLoop {
 public:
  AudioLoop(const Tune& tune, AudioFormat format);

  const AudioFormat& format() const { return format_; }

  /// Appends the frame that plays from `number` * 24 ms after 1970.
  void append_frame(std::int64_t number, ByteVector& out);

 private:
  void encode(std::size_t slot);

  Synthesizer synthesizer_;
  AudioFormat format_;
  std::size_t slots_;
  std::vector<std::uint8_t> frames_;  // slots_ frames of equal size
  std::vector<bool> made_;
  std::vector<float> left_;  // samples of the last window, whose end is carried over to the next frame
  std::vector<float> right_;
  std::optional<std::size_t> last_slot_;
};

}  // namespace receiverd::dvb::demo
