#include "dvb/demo/audio_loop.h"

#include <algorithm>
#include <array>

namespace receiverd::dvb::demo {

AudioLoop::AudioLoop(const Tune& tune, AudioFormat format)
    : synthesizer_(tune),
      format_(format),
      slots_(static_cast<std::size_t>(synthesizer_.loop_samples()) / kFrameSamples),
      frames_(slots_ * frame_size(format)),
      made_(slots_),
      left_(kFilterMemory + kFrameSamples),
      right_(kFilterMemory + kFrameSamples) {}

void AudioLoop::append_frame(std::int64_t number, ByteVector& out) {
  const auto slots = static_cast<std::int64_t>(slots_);
  const auto slot = static_cast<std::size_t>((number % slots + slots) % slots);
  if (!made_[slot]) encode(slot);
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(slot * frame_size(format_));
  out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(frame_size(format_)));
}

void AudioLoop::encode(std::size_t slot) {
  std::size_t known = 0;
  if (last_slot_ && (*last_slot_ + 1) % slots_ == slot) {
    std::copy(left_.end() - kFilterMemory, left_.end(), left_.begin());
    std::copy(right_.end() - kFilterMemory, right_.end(), right_.begin());
    known = kFilterMemory;
  }
  const std::int64_t first = static_cast<std::int64_t>(slot * kFrameSamples + known) - std::int64_t{kFilterMemory};
  synthesizer_.render(first, std::span(left_).subspan(known), std::span(right_).subspan(known));
  last_slot_ = slot;

  std::array<std::span<const float>, 2> channels{left_, right_};
  std::vector<float> mono;
  if (format_.channels == 1) {
    mono.resize(left_.size());
    std::transform(left_.begin(), left_.end(), right_.begin(), mono.begin(),
                   [](float l, float r) { return (l + r) * 0.7F; });
    channels[0] = mono;
  }
  ByteVector frame;
  frame.reserve(frame_size(format_));
  encode_layer2_frame(frame, format_, std::span(channels).first(static_cast<std::size_t>(format_.channels)));
  std::copy(frame.begin(), frame.end(), frames_.begin() + static_cast<std::ptrdiff_t>(slot * frame_size(format_)));
  made_[slot] = true;
}

}  // namespace receiverd::dvb::demo
