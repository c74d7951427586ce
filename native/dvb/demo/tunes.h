// The music of the demo services: scores and synthesis.
//
// A tune is a loop of whole 3-second bars (3 s = 125 audio frames), so that it stays in step with the wall clock: the
// sample played at a time depends only on that time. A score is written in steps; each voice is one string:
//
//   c4 f#4 bb3   a note starts (several sounding together: c4+e4+g4)
//   -            the previous note continues
//   .            rest
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace receiverd::dvb::demo {

enum class Instrument : std::uint8_t { piano, bell, organ, pluck, bass, flute, strings };

struct Voice {
  Instrument instrument;
  float gain;  ///< peak of one note, 0..1
  float pan;   ///< -1 left .. 1 right
  std::string_view score;
};

struct Tune {
  int step_milliseconds;
  int seconds;  ///< length of the loop, a multiple of 3
  bool pips;    ///< a short beep on every full second, to check that audio and video are in sync
  std::vector<Voice> voices;
};

class Synthesizer {
 public:
  explicit Synthesizer(const Tune& tune);

  std::int64_t loop_samples() const { return loop_samples_; }

  /// Adds the samples from `first` (any number; the loop repeats forever) to `left` and `right`, which must be cleared.
  void render(std::int64_t first, std::span<float> left, std::span<float> right) const;

 private:
  struct Note {
    std::int64_t start;   // samples into the loop
    std::int64_t length;  // with its release
    std::int64_t held;    // without
    double frequency;
    float gain_left;
    float gain_right;
    Instrument instrument;
  };

  void read_voice(const Voice& voice, int step_milliseconds);
  static void sound(const Note& note, std::int64_t offset, std::span<float> left, std::span<float> right);

  std::int64_t loop_samples_;
  bool pips_;
  std::vector<Note> notes_;
};

/// Tunes by their number in the line-up; see tunes.cc.
const Tune& tune(std::size_t number);
inline constexpr std::size_t kTuneCount = 9;

}  // namespace receiverd::dvb::demo
