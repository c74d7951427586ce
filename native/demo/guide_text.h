// Parses the programmes of a service and their broadcast times from text that can be edited by hand
// (assets/demo/*.txt):
//
//   = key genre age style   a programme. genre: content nibbles in hex; age: minimum age or 0; style: s a series with
//                           numbered episodes, f films (each 'e' line is one), n news (three 'e' lines per bulletin),
//                           p always the same
//   t title
//   a about the programme: a part of the extended text
//   c Role=Name|Role=Name   items of the extended event descriptor; for films 'c' follows its 'e' line
//   e title|text            an episode, a film or a news item
//   @ HHMM days key         the grid: local time, 05:00 of the day to 28:59; days 1 (Monday) to 7; key! repeats an
//                           earlier showing of the same day
//   l season|episode        words from which "Season %d, Episode %d" is built
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace receiverd::demo {

struct ProgrammeText {
  struct Part {
    std::string_view title;
    std::string_view text;
    std::string_view credits;
  };
  enum class Style : char { series = 's', films = 'f', news = 'n', plain = 'p' };

  std::string_view key;
  std::uint8_t genre = 0;
  int min_age = 0;
  Style style = Style::plain;
  std::string_view title;
  std::string_view about;
  std::string_view credits;
  std::vector<Part> parts;
};

struct GridSlot {
  int minute = 0;         ///< minutes after 00:00 of the broadcast day's date, 300..1739
  std::uint8_t days = 0;  ///< bit 0 = Monday
  std::size_t programme = 0;
  bool repeat = false;
};

struct GuideText {
  std::shared_ptr<const std::string> source;  ///< the text that all views below point into
  std::vector<ProgrammeText> programmes;
  std::vector<GridSlot> grid;  ///< sorted by time
  std::string_view season;
  std::string_view episode;
};

/// Reads the format above; unknown lines are ignored.
GuideText read_guide_text(std::string text);

/// Whether the text covers every week: each day has a slot, and each programme has the parts that its style needs.
bool is_complete(const GuideText& guide);

}  // namespace receiverd::demo
