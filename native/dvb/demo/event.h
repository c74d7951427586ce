// One programme of the demo guide, in UTF-8; guide_tables.h converts it to its broadcast coding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace receiverd::dvb::demo {

struct Event {
  /// An item of the extended event descriptor, such as "Director" and a name.
  struct Item {
    std::string description;
    std::string text;
  };

  std::int64_t start = 0;  ///< Unix seconds
  std::int64_t end = 0;
  std::uint16_t id = 0;
  std::string title;
  std::string subtitle;  ///< short text: the episode title, or a description
  std::string text;      ///< extended text; may be empty
  std::vector<Item> items;
  std::uint8_t genre = 0;  ///< content_nibble level 1 and 2 (EN 300 468 table 29)
  int minimum_age = 0;     ///< years; 0 = no rating
  std::string series;      ///< data part of the series CRID, "" = no series
  std::string programme;   ///< data part of the programme CRID: the same for repeats
  bool two_languages = false;
};

}  // namespace receiverd::dvb::demo
