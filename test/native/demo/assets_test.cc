// Tests of the files that the demo plays: what a loop accepts, and what it says about a file that is missing or
// damaged.
#include "demo/assets.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "demo/received_demo.h"
#include "temporary_folder.h"

using namespace receiverd;
using namespace receiverd::demo;

namespace {

/// The error message of load_assets() for a folder.
std::string complaint(const std::string& folder) {
  try {
    load_assets(folder);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("every loop fills its file, and all loops together have at most two megabytes") {
  const auto assets = load_assets(kAssets);
  REQUIRE(assets->size() == lineup().size());
  for (std::size_t i = 0; i < lineup().size(); ++i) {
    const LineupEntry& entry = lineup()[i];
    CAPTURE(entry.name);
    REQUIRE(assets->at(i).loops.size() == entry.streams.size());
    for (std::size_t s = 0; s < entry.streams.size(); ++s) {
      const Loop& loop = assets->at(i).loops[s];
      const auto period = [&] {  // in units
        std::int64_t number = 1;
        while (loop.unit(number).data() != loop.unit(0).data()) ++number;
        return number;
      }();
      CHECK(loop.unit(period + 7).data() == loop.unit(7).data());
      CHECK(loop.is_random_access(0));
      // A whole number of seconds; for video and subtitles one minute.
      CHECK(period * loop.duration() % 90'000 == 0);
      if (traits(entry.streams[s].coding).units != 0) CHECK(period * loop.duration() == 60 * 90'000);
    }
  }
  std::uintmax_t size = 0;
  for (const auto& file : std::filesystem::directory_iterator(kAssets)) size += file.file_size();
  CHECK(size < 2'000'000);
}

TEST_CASE("load_assets() returns the same copy while one is in use") {
  const auto first = load_assets(kAssets);
  CHECK(load_assets(kAssets) == first);
}

TEST_CASE("the error names a missing or damaged file") {
  const TemporaryFolder copy;
  const auto restore = [&] {
    using std::filesystem::copy_options;
    std::filesystem::copy(kAssets, copy.path(), copy_options::recursive | copy_options::overwrite_existing);
  };
  restore();
  CHECK(complaint(copy.path()) == "");
  CHECK(complaint("/nowhere") == "/nowhere/aldermoor-one.txt: No such file or directory");

  for (const char* name : {"talblick-24.h264", "clunek.hevc", "clunek.ces.aac", "canal-oree.fra.ac3",
                           "canal-oree.fra.sub", "radio-ozhyna.ukr.mp2", "brincolin.txt"}) {
    const std::string file = copy.file(name);
    CAPTURE(file);
    const std::uintmax_t size = std::filesystem::file_size(file);
    std::filesystem::remove(file);
    CHECK(complaint(copy.path()) == file + ": No such file or directory");
    for (const std::uintmax_t length : {std::uintmax_t{0}, size / 3 + 1}) {
      restore();
      std::filesystem::resize_file(file, length);
      CHECK(complaint(copy.path()) == file + ": damaged");
    }
    std::ofstream(file) << std::string(5000, '\0');
    CHECK(complaint(copy.path()) == file + ": damaged");
    std::filesystem::resize_file(file, std::uintmax_t{1} << 33);
    CHECK(complaint(copy.path()) == file + ": too large for the demo");
    restore();
  }
}

TEST_CASE("a guide must fill a week; unknown lines are ignored") {
  const auto is_accepted = [](const std::string& text) { return is_complete(read_guide_text(text)); };
  const std::string plain = "= a 21 0 p\nt A\n";
  CHECK(is_accepted(plain + "? what\n@ 500 1234567 a\n"));
  CHECK_FALSE(is_accepted(""));
  CHECK_FALSE(is_accepted(plain));
  CHECK_FALSE(is_accepted(plain + "@ 500 123456 a\n"));
  CHECK_FALSE(is_accepted(plain + "@ 500 1234567 b\n"));
  CHECK_FALSE(is_accepted(plain + "@ 500 890!~ a\n@ x y z\n@ 99999999999 1234567 a\n"));
  CHECK_FALSE(is_accepted(plain + "@ 400 1234567 a\n"));
  CHECK_FALSE(is_accepted(plain + "@ 2900 1234567 a\n"));
  for (const char* style : {"n", "s", "f"}) {
    const std::string programme = std::string("= a 21 0 ") + style + "\n";
    CHECK_FALSE(is_accepted(programme + "@ 500 1234567 a\n"));
    CHECK(is_accepted(programme + "e x|y\n@ 500 1234567 a\n"));
  }
}
