#include "dvb/demo/tunes.h"

#include <array>

namespace receiverd::dvb::demo {
namespace {

// Composed for this program. 12 s of 48 steps, a quarter second each, unless noted otherwise.

Tune friendly_march() {  // Aldermoor One: C major, piano over walking bass
  return {250,
          12,
          true,
          {{Instrument::piano, 0.22F, -0.2F,
            "c5 - e5 g5 e5 - d5 c5 a4 - c5 e5 d5 - - . f5 - e5 d5 e5 - c5 a4 g4 - b4 d5 g5 - f5 d5 "
            "e5 - g5 c6 b5 - g5 e5 f5 - d5 b4 c5 - - ."},
           {Instrument::piano, 0.09F, 0.3F,
            "e4+g4 - - - c4+e4 - - - c4+e4 - - - g4+b4 - - - f4+a4 - - - c4+e4 - - - d4+g4 - - - f4+b4 - - - "
            "e4+g4 - - - g4+b4 - - - f4+b4 - - - e4+g4 - - -"},
           {Instrument::bass, 0.2F, 0,
            "c3 - g2 - c3 - g2 - a2 - e3 - g2 - d3 - f2 - c3 - a2 - e3 - g2 - d3 - g2 - b2 - "
            "c3 - g2 - e3 - b2 - g2 - d3 - c3 - g2 -"}}};
}

Tune urgent_signal() {  // Talblick 24: D minor, pulse of plucked notes, an open fifth above
  return {250,
          12,
          true,
          {{Instrument::pluck, 0.2F, 0.25F,
            "d4 d4 a4 d4 d4 a4 d4 c5 d4 d4 a4 d4 d4 a4 f4 e4 bb3 bb3 f4 bb3 bb3 f4 bb3 d5 c4 c4 g4 c4 c4 g4 e4 c4 "
            "d4 d4 a4 d4 d4 a4 d4 c5 a3 a3 e4 a3 c#4 e4 g4 a4"},
           {Instrument::strings, 0.1F, -0.3F,
            "d5+a5 - - - - - - - f5+a5 - - - - - - - d5+f5 - - - - - - - e5+g5 - - - - - - - "
            "d5+a5 - - - - - - - c#5+e5 - - - - - - -"},
           {Instrument::bass, 0.2F, 0,
            "d2 - - d2 - - d2 - d2 - - d2 - - d2 - bb2 - - bb2 - - bb2 - c2 - - c2 - - c2 - "
            "d2 - - d2 - - d2 - a2 - - a2 - - a2 -"}}};
}

Tune wide_water(Instrument lead, float gain) {  // Canal Orée: E flat, slow; the second audio track has another lead
  return {500,
          24,
          true,
          {{lead, gain, 0.1F,
            "bb4 - - eb5 - - g5 - f5 eb5 - - c5 - - - d5 - - g5 - - bb5 - ab5 g5 - - f5 - - - "
            "eb5 - c5 - ab4 - - - bb4 - d5 - eb5 - - -"},
           {Instrument::strings, 0.07F, -0.4F,
            "eb4+g4+bb4 - - - - - - - ab3+c4+eb4 - - - - - - - g3+bb3+d4 - - - - - - - ab3+c4+f4 - - - - - - - "
            "ab3+c4+eb4 - - - - - - - bb3+d4+f4 - - - eb4+g4 - - -"},
           {Instrument::bass, 0.16F, 0.3F,
            "eb2 - - - bb2 - - - ab2 - - - eb2 - - - g2 - - - d2 - - - f2 - - - bb2 - - - "
            "ab2 - - - eb2 - - - bb2 - - - eb2 - - -"}}};
}

Tune skipping_rope() {  // Brincolín: G major, bells, every step a hop
  return {250,
          12,
          true,
          {{Instrument::bell, 0.2F, 0,
            "g5 . d5 . b5 . g5 . a5 c6 a5 f#5 d5 . . . e5 . g5 . c6 . e6 . d6 b5 g5 b5 d6 . . . "
            "c6 . a5 . b5 . g5 . a5 f#5 d5 f#5 g5 . . ."},
           {Instrument::pluck, 0.15F, -0.4F,
            "g3 b3+d4 . b3+d4 g3 b3+d4 . b3+d4 d3 a3+c4 . a3+c4 d3 a3+c4 . a3+c4 c3 g3+e4 . g3+e4 c3 g3+e4 . g3+e4 "
            "g3 b3+d4 . b3+d4 g3 b3+d4 . b3+d4 a3 c4+e4 . c4+e4 g3 b3+d4 . b3+d4 d3 a3+c4 . a3+c4 g3 b3+d4 . ."}}};
}

Tune night_bar() {  // Člunek: D minor seventh, swinging
  return {250,
          12,
          true,
          {{Instrument::piano, 0.17F, 0.35F,
            ". . f5 - a5 - c6 a5 - - g5 e5 - . . . . . e5 - g5 - b5 g5 - - f5 d5 - . . . "
            ". . d5 - f5 - a5 f5 - - e5 c#5 - - d5 -"},
           {Instrument::piano, 0.08F, -0.3F,
            "d4+f4+c5 - - . - d4+f4+c5 . . d4+f4+b4 - - . . . . . c4+e4+b4 - - . - c4+e4+b4 . . c4+e4+a4 - - . . . . . "
            "bb3+d4+a4 - - . - bb3+d4+a4 . . a3+c#4+g4 - - . . . . ."},
           {Instrument::bass, 0.22F, 0,
            "d2 - f2 - a2 - c3 - g2 - b2 - d3 - b2 - c2 - e2 - g2 - b2 - a2 - c3 - e3 - c3 - "
            "bb2 - d3 - f3 - d3 - a2 - c#3 - e3 - a2 -"}}};
}

Tune stadium() {  // Πέλαγος Σπορ: A major, organ riff
  return {250,
          12,
          true,
          {{Instrument::organ, 0.13F, 0.2F,
            "a4 . a4 c#5 . e5 . . d5 . d5 f#5 . a5 . . e5 . e5 g#5 . b5 . a5 g#5 . e5 . d5 . b4 . "
            "a4 . a4 c#5 . e5 . . d5 c#5 b4 . a4 - - ."},
           {Instrument::pluck, 0.18F, -0.3F,
            "a3+e4 . a3+e4 a3+e4 . a3+e4 . . d4+a4 . d4+a4 d4+a4 . d4+a4 . . e4+b4 . e4+b4 e4+b4 . e4+b4 . . "
            "e4+b4 . e4+b4 . e4+b4 . e4+b4 . a3+e4 . a3+e4 a3+e4 . a3+e4 . . e4+b4 . e4+b4 . a3+e4 - - ."},
           {Instrument::bass, 0.24F, 0,
            "a2 - a2 a2 - a2 - - d2 - d2 d2 - d2 - - e2 - e2 e2 - e2 - - e2 - e2 - e2 - g#2 - "
            "a2 - a2 a2 - a2 - - e2 - e2 - a2 - - -"}}};
}

Tune morning_prelude() {  // Радіо Ожина: broken chords of a prelude in F, 24 s of 96 steps
  return {
      250,
      24,
      false,
      {{Instrument::piano, 0.2F, 0.15F,
        "f4 a4 c5 f5 a5 f5 c5 a4 f4 bb4 d5 f5 bb5 f5 d5 bb4 e4 bb4 c5 g5 bb5 g5 c5 bb4 f4 a4 c5 f5 a5 f5 c5 a4 "
        "d4 a4 d5 f5 a5 f5 d5 a4 d4 g4 b4 f5 g5 f5 b4 g4 c4 g4 c5 e5 g5 e5 c5 g4 c4 f4 a4 c5 f5 c5 a4 f4 "
        "bb3 f4 bb4 d5 f5 d5 bb4 f4 b3 f4 ab4 d5 f5 d5 ab4 f4 c4 f4 a4 c5 f5 c5 a4 f4 c4 e4 bb4 c5 g5 c5 bb4 e4"},
       {Instrument::strings, 0.08F, -0.3F,
        "a5 - - - - - - - bb5 - - - - - - - g5 - - - - - - - a5 - - - - - - - "
        "f5 - - - - - - - g5 - - - f5 - - - e5 - - - - - - - c5 - - - - - - - "
        "d5 - - - - - - - f5 - - - d5 - - - c5 - - - - - - - e5 - - - g5 - - -"},
       {Instrument::bass, 0.16F, 0,
        "f2 - - - - - - - bb2 - - - - - - - c3 - - - - - - - f2 - - - - - - - d3 - - - - - - - g2 - - - - - - - "
        "c3 - - - - - - - a2 - - - - - - - bb2 - - - - - - - b2 - - - - - - - c3 - - - - - - - c3 - - - c2 - - -"}}};
}

Tune plane_tree() {  // Radyo Çınaraltı: plucked strings in a mode with an augmented second (d eb f# g a bb c)
  return {
      250,
      12,
      false,
      {{Instrument::pluck, 0.3F, 0.1F,
        "d4 - eb4 f#4 g4 - f#4 eb4 d4 - a4 - bb4 a4 g4 f#4 g4 - a4 bb4 c5 - bb4 a4 g4 f#4 eb4 - d4 - . . "
        "d5 - c5 bb4 a4 - bb4 a4 g4 - f#4 eb4 d4 - - ."},
       {Instrument::pluck, 0.16F, -0.2F,
        "d3 . a3 . d3 . a3 . d3 . a3 . g3 . d3 . g3 . d4 . c3 . g3 . g3 . c3 . d3 . a3 . "
        "d3 . a3 . g3 . d3 . c3 . eb3 . d3 . a3 ."},
       {Instrument::bass, 0.14F, 0,
        "d2 - - - - - - - d2 - - - g2 - - - g2 - - - c2 - - - g2 - - - d2 - - - d2 - - - g2 - - - c2 - - - d2 - - -"}}};
}

}  // namespace

const Tune& tune(std::size_t number) {
  static const std::array<Tune, kTuneCount> tunes{
      friendly_march(),  urgent_signal(), wide_water(Instrument::flute, 0.2F), skipping_rope(), night_bar(), stadium(),
      morning_prelude(), plane_tree(),    wide_water(Instrument::bell, 0.22F)};
  return tunes[number % kTuneCount];
}

}  // namespace receiverd::dvb::demo
