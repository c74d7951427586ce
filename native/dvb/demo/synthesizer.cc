#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dvb/demo/layer2_encoder.h"
#include "dvb/demo/tunes.h"

namespace receiverd::dvb::demo {
namespace {

/// Timbre: strength of the partials, and how a note starts, fades and ends (seconds).
struct Timbre {
  std::array<float, 6> partials;
  float attack;
  float decay;  ///< time in which it fades to 37 %; 0 = no fading
  float release;
};

constexpr Timbre timbre_of(Instrument instrument) {
  switch (instrument) {
    case Instrument::piano:
      return {{0.62F, 0.22F, 0.1F, 0.05F, 0.02F, 0.01F}, 0.004F, 0.7F, 0.12F};
    case Instrument::bell:
      return {{0.6F, 0.0F, 0.25F, 0.0F, 0.1F, 0.05F}, 0.003F, 0.9F, 0.4F};
    case Instrument::organ:
      return {{0.45F, 0.3F, 0.12F, 0.1F, 0.0F, 0.03F}, 0.03F, 0, 0.08F};
    case Instrument::pluck:
      return {{0.5F, 0.25F, 0.13F, 0.07F, 0.04F, 0.02F}, 0.002F, 0.28F, 0.06F};
    case Instrument::bass:
      return {{0.7F, 0.22F, 0.06F, 0.02F, 0.0F, 0.0F}, 0.008F, 0.9F, 0.08F};
    case Instrument::flute:
      return {{0.85F, 0.1F, 0.05F, 0.0F, 0.0F, 0.0F}, 0.05F, 0, 0.1F};
    case Instrument::strings:
      return {{0.5F, 0.25F, 0.13F, 0.07F, 0.03F, 0.02F}, 0.12F, 0, 0.25F};
  }
  return {};
}

std::int64_t samples_of(double seconds) { return static_cast<std::int64_t>(seconds * kSampleRate); }

/// Frequency of a note name such as "c4", "f#3" or "bb2"; equal temperament, a4 = 440 Hz.
double pitch(std::string_view name) {
  constexpr std::string_view kNames = "c d ef g a b";  // index = semitones above c
  int semitone = static_cast<int>(kNames.find(name.front()));
  std::size_t at = 1;
  if (name[at] == '#')
    ++semitone, ++at;
  else if (name[at] == 'b')
    --semitone, ++at;
  const int octave = name[at] - '0';
  return 440.0 * std::exp2((semitone - 9) / 12.0 + octave - 4);
}

template <class Use>
void split(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr double kPipSeconds = 0.06;

/// 1 kHz with soft edges at the start of every second.
void add_pips(std::int64_t first, std::span<float> left, std::span<float> right) {
  const std::int64_t length = samples_of(kPipSeconds);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int64_t into = (first + static_cast<std::int64_t>(i)) % kSampleRate;
    if (into >= length) continue;
    const double part = static_cast<double>(into) / static_cast<double>(length);
    const auto value =
        static_cast<float>(0.06 * std::sin(std::numbers::pi * part) *
                           std::sin(2 * std::numbers::pi * 1000 * static_cast<double>(into) / kSampleRate));
    left[i] += value;
    right[i] += value;
  }
}

}  // namespace

Synthesizer::Synthesizer(const Tune& tune)
    : loop_samples_(static_cast<std::int64_t>(tune.seconds) * kSampleRate), pips_(tune.pips) {
  for (const Voice& voice : tune.voices) read_voice(voice, tune.step_milliseconds);
}

void Synthesizer::read_voice(const Voice& voice, int step_milliseconds) {
  const std::int64_t step = std::int64_t{step_milliseconds} * kSampleRate / 1000;
  const std::int64_t release = samples_of(timbre_of(voice.instrument).release);
  std::int64_t now = 0;
  std::size_t sounding = notes_.size();  // first note of the last chord
  split(voice.score, ' ', [&](std::string_view word) {
    if (word == "-") {
      for (std::size_t i = sounding; i < notes_.size(); ++i) {
        notes_[i].held += step;
        notes_[i].length += step;
      }
    } else {
      sounding = notes_.size();
      if (word != ".") {
        split(word, '+', [&](std::string_view name) {
          const float angle = (voice.pan + 1) * std::numbers::pi_v<float> / 4;
          notes_.push_back({now, step + release, step, pitch(name), voice.gain * std::cos(angle),
                            voice.gain * std::sin(angle), voice.instrument});
        });
      }
    }
    now += step;
  });
}

void Synthesizer::render(std::int64_t first, std::span<float> left, std::span<float> right) const {
  std::fill(left.begin(), left.end(), 0.0F);
  std::fill(right.begin(), right.end(), 0.0F);
  const std::int64_t at = ((first % loop_samples_) + loop_samples_) % loop_samples_;
  const auto count = static_cast<std::int64_t>(left.size());
  for (const Note& note : notes_) {
    // A note may extend past the end of the loop, and so may the window.
    for (const std::int64_t turn : {-loop_samples_, std::int64_t{0}, loop_samples_}) {
      const std::int64_t start = note.start + turn;
      const std::int64_t from = std::max(start, at);
      const std::int64_t to = std::min(start + note.length, at + count);
      if (from >= to) continue;
      sound(note, from - start, left.subspan(static_cast<std::size_t>(from - at), static_cast<std::size_t>(to - from)),
            right.subspan(static_cast<std::size_t>(from - at), static_cast<std::size_t>(to - from)));
    }
  }
  if (pips_) add_pips(at, left, right);
}

void Synthesizer::sound(const Note& note, std::int64_t offset, std::span<float> left, std::span<float> right) {
  const Timbre timbre = timbre_of(note.instrument);
  const auto seconds = [](std::int64_t samples) { return static_cast<float>(samples) / kSampleRate; };
  const float attack = timbre.attack * kSampleRate;
  const auto release = static_cast<float>(note.length - note.held);

  const auto envelope = [&](std::int64_t sample) {
    float value = std::min(1.0F, static_cast<float>(sample) / attack);
    if (timbre.decay > 0) value *= std::exp(-seconds(sample) / timbre.decay);
    if (sample > note.held) value *= std::max(0.0F, 1 - static_cast<float>(sample - note.held) / release);
    return value;
  };
  std::array<float, 256> wave;  // sum of all partials, one block at a time
  std::array<float, 6> sines{};
  std::array<float, 6> cosines{};
  std::array<float, 6> turn_sines{};
  std::array<float, 6> turn_cosines{};
  for (std::size_t partial = 0; partial < sines.size(); ++partial) {
    const double frequency = note.frequency * static_cast<double>(partial + 1);
    if (frequency > 14000) continue;
    const double step = 2 * std::numbers::pi * frequency / kSampleRate;
    const double phase = std::fmod(step * static_cast<double>(offset), 2 * std::numbers::pi);
    sines[partial] = static_cast<float>(std::sin(phase)) * timbre.partials[partial];
    cosines[partial] = static_cast<float>(std::cos(phase)) * timbre.partials[partial];
    turn_sines[partial] = static_cast<float>(std::sin(step));
    turn_cosines[partial] = static_cast<float>(std::cos(step));
  }
  for (std::size_t block = 0; block < left.size(); block += wave.size()) {
    const std::size_t length = std::min(wave.size(), left.size() - block);
    wave.fill(0);
    for (std::size_t partial = 0; partial < sines.size(); ++partial) {
      if (timbre.partials[partial] == 0 || turn_sines[partial] == 0) continue;
      // A rotating pointer instead of a sine per sample; the window is too short for rounding to matter.
      float sine = sines[partial];
      float cosine = cosines[partial];
      for (std::size_t i = 0; i < length; ++i) {
        wave[i] += sine;
        const float next = sine * turn_cosines[partial] + cosine * turn_sines[partial];
        cosine = cosine * turn_cosines[partial] - sine * turn_sines[partial];
        sine = next;
      }
      sines[partial] = sine;
      cosines[partial] = cosine;
    }
    // The envelope in straight lines of 32 samples: smooth, and cheap on machines without a fast exp.
    for (std::size_t piece = 0; piece < length; piece += 32) {
      const std::int64_t begin = offset + static_cast<std::int64_t>(block + piece);
      const float from = envelope(begin);
      const float slope = (envelope(begin + 32) - from) / 32;
      for (std::size_t i = piece; i < std::min(piece + 32, length); ++i) {
        const float value = wave[i] * (from + slope * static_cast<float>(i - piece));
        left[block + i] += value * note.gain_left;
        right[block + i] += value * note.gain_right;
      }
    }
  }
}

}  // namespace receiverd::dvb::demo
