// A loop of video, audio or subtitles: an elementary stream file of assets/demo/, divided into its units.
//
// Unit n plays at n durations after 1970. A loop of one minute therefore starts on the minute, and what is presented
// depends on the clock only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/lineup.h"
#include "wire/bytes.h"

namespace receiverd::demo {

/// Returns the contents of a file. @throws std::runtime_error that names it
std::vector<std::uint8_t> read_file(const std::string& path);

class Loop {
 public:
  /// @throws std::runtime_error that names the file if it cannot be read or is not a whole loop of this coding
  Loop(const std::string& path, const StreamEntry& stream);

  /// Duration of a unit in 90 kHz ticks.
  std::int64_t duration() const { return duration_; }
  /// The access unit that plays from `number` * duration() after 1970.
  wire::Bytes unit(std::int64_t number) const;
  /// Whether a decoder can start with this unit.
  bool is_random_access(std::int64_t number) const { return units_[index(number)].random_access; }

 private:
  struct Unit {
    std::size_t begin;
    bool random_access;
  };

  std::size_t index(std::int64_t number) const;
  bool divide(const StreamEntry& stream);
  bool divide_video(bool hevc);
  bool divide_audio(std::size_t frame_size, std::uint16_t sync_word, std::uint16_t sync_mask);
  bool divide_subtitles();

  std::vector<std::uint8_t> bytes_;
  std::vector<Unit> units_;  // in file order; together they are the whole file
  std::int64_t duration_;
};

}  // namespace receiverd::demo
