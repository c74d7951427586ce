// A loop of pictures, sound or subtitles: a bare elementary stream of assets/demo/, divided into its units.
//
// Unit n plays at n durations after 1970, so the loop of a minute starts on the minute, and everything that is shown
// follows from the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/lineup.h"
#include "wire/bytes.h"

namespace receiverd::demo {

/// The contents of a file. @throws std::runtime_error that names it
std::vector<std::uint8_t> read_file(const std::string& path);

class Loop {
 public:
  /// @throws std::runtime_error that names the file if it cannot be read or is not a whole loop of this coding
  Loop(const std::string& path, const StreamEntry& stream);

  /// Ticks of 90 kHz.
  std::int64_t duration() const { return duration_; }
  /// The access unit that plays from `number` * duration() after 1970.
  wire::Bytes unit(std::int64_t number) const;
  /// Whether a decoder can start with it.
  bool random_access(std::int64_t number) const { return units_[index(number)].random_access; }

 private:
  struct Unit {
    std::size_t begin;
    bool random_access;
  };

  std::size_t index(std::int64_t number) const;
  bool divide(const StreamEntry& stream);
  bool divide_video(bool hevc);
  bool divide_sound(std::size_t frame_size, std::uint16_t sync_word, std::uint16_t sync_mask);
  bool divide_subtitles();

  std::vector<std::uint8_t> bytes_;
  std::vector<Unit> units_;  // in the order of the file, which they fill
  std::int64_t duration_;
};

}  // namespace receiverd::demo
