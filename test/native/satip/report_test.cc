// Tests of reading the servers' reports of the signal.
#include "satip/report.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace receiverd;
using namespace receiverd::satip;

namespace {

std::vector<std::uint8_t> rtcp(const std::string& text, unsigned words) {
  std::vector<std::uint8_t> bytes = {
      0x80, 200, 0, 1, 1,   2,   3,   4,   0x80, 204, 0, static_cast<std::uint8_t>(words),
      1,    2,   3, 4, 'S', 'E', 'S', '1', 0,    0,   0, static_cast<std::uint8_t>(text.size())};
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

}  // namespace

TEST_CASE("Reports of all delivery systems are read") {
  for (const char* const text :
       {"ver=1.0;src=1;tuner=2,240,1,15,11493.75,h,dvbs2,8psk,on,0.35,22000,23;pids=0,16",
        "a=fmtp:33 ver1.0;tuner=2,240,1,15,498.00,8,dvbt2,32k,256qam,19128,23,1,0,0;pids=all\r\na=sendonly",
        "ver=1.2;src=1;tuner=2,240,1,15"}) {
    const auto report = read_report(text);
    REQUIRE(report);
    CHECK(report->level == 240);
    CHECK(report->lock);
    CHECK(report->quality == 15);
  }
  CHECK_FALSE(read_report("ver=1.0;pids=0"));
  CHECK_FALSE(read_report("tuner=1,2"));
  CHECK_FALSE(read_report("tuner="));
  const auto empty = read_report("tuner=,,,,,");
  REQUIRE(empty);
  CHECK_FALSE(empty->lock);
}

TEST_CASE("Reports are found in compound packets, also if the length of one is wrong") {
  const std::string text = "ver=1.0;src=1;tuner=1,224,1,15,11493.75,h,dvbs2,8psk,on,0.35,22000,23;pids=0";
  for (const unsigned words : {23U, 0U, 255U}) {
    const auto report = read_rtcp(rtcp(text, words));
    REQUIRE(report);
    CHECK(report->level == 224);
  }
  CHECK_FALSE(read_rtcp({}));
  const std::vector<std::uint8_t> only = {0x80, 200, 0, 0};
  CHECK_FALSE(read_rtcp(only));
}

TEST_CASE("Levels are converted to dBm and percent") {
  const auto strong = signal_of({.level = 224, .lock = true, .quality = 15});
  CHECK(strong.locked);
  CHECK(*strong.strength_decibel == doctest::Approx(-25));
  CHECK(strong.strength_percent == 87);
  CHECK(strong.snr_percent == 100);
  CHECK_FALSE(strong.snr_decibel);
  // Not measured is unknown, not zero.
  const auto silent = signal_of({.level = 0, .lock = true, .quality = 0});
  CHECK_FALSE(silent.strength_decibel);
  CHECK(silent.snr_percent == 46);
  CHECK(signal_of({}).snr_percent == 0);
}
