// Tests of reading capabilities and signal from drivers.
#include "frontend/front_end.h"

#include <doctest/doctest.h>

#include "frontend/front_ends.h"
#include "scripted.h"

using namespace receiverd;
using namespace receiverd::frontend;

namespace {

constexpr const char* kFrontEnd = "/dev/dvb/adapter0/frontend0";

dtv_stats decibel(std::int64_t thousandths) {
  dtv_stats stats{};
  stats.scale = FE_SCALE_DECIBEL;
  stats.svalue = thousandths;
  return stats;
}

dtv_stats value(std::uint8_t scale, std::uint64_t number) {
  dtv_stats stats{};
  stats.scale = scale;
  stats.uvalue = number;
  return stats;
}

}  // namespace

TEST_CASE("Delivery systems come from the driver's list, or from the type of an old driver") {
  Scripted system;
  CHECK(FrontEnd(system, kFrontEnd, System::Access::read).capabilities()->systems ==
        std::vector<std::uint8_t>{SYS_DVBT, SYS_DVBT2});
  system.enumerates = false;
  system.type = FE_QPSK;
  system.capabilities = FE_CAN_2G_MODULATION | FE_CAN_MULTISTREAM;
  const auto capabilities = FrontEnd(system, kFrontEnd, System::Access::read).capabilities();
  CHECK(capabilities->systems == std::vector<std::uint8_t>{SYS_DVBS, SYS_DVBS2});
  CHECK(capabilities->multistream);
  CHECK(capabilities->name == "Scripted");
  CHECK(capabilities->api == 0x50B);
}

TEST_CASE("A wrong length from the driver does not cause a read beyond its list") {
  Scripted system;
  system.systems.assign(200, SYS_DVBT);
  CHECK(FrontEnd(system, kFrontEnd, System::Access::read).capabilities()->systems.size() == 32);
}

TEST_CASE("Signal values in decibel and relative, and impossible ones") {
  Scripted system;
  FrontEnd front_end(system, kFrontEnd, System::Access::write);
  front_end.tune(std::vector<Property>{{DTV_DELIVERY_SYSTEM, SYS_DVBT}});
  system.measured[DTV_STAT_SIGNAL_STRENGTH] = decibel(-55'000);
  system.measured[DTV_STAT_CNR] = decibel(9'500);
  const auto in_decibel = front_end.signal(true);
  CHECK(in_decibel.locked);
  CHECK(*in_decibel.strength_decibel == doctest::Approx(-55));
  CHECK(in_decibel.strength_percent == 50);
  CHECK(*in_decibel.snr_decibel == doctest::Approx(9.5));
  CHECK(in_decibel.snr_percent == 50);
  CHECK_FALSE(in_decibel.bit_errors);

  system.measured[DTV_STAT_SIGNAL_STRENGTH] = value(FE_SCALE_RELATIVE, 32768);
  system.measured[DTV_STAT_CNR] = value(FE_SCALE_RELATIVE, 65535);
  const auto relative = front_end.signal(true);
  CHECK_FALSE(relative.strength_decibel);
  CHECK(relative.strength_percent == 50);
  CHECK(relative.snr_percent == 100);

  system.measured[DTV_STAT_SIGNAL_STRENGTH] = decibel(-42'000'000);
  system.measured[DTV_STAT_CNR] = value(FE_SCALE_NOT_AVAILABLE, 7);
  const auto absurd = front_end.signal(false);
  CHECK_FALSE(absurd.strength_decibel);
  CHECK(absurd.strength_percent == 0);
  CHECK_FALSE(absurd.snr_decibel);
}

TEST_CASE("Errors are counted between two readings") {
  Scripted system;
  FrontEnd front_end(system, kFrontEnd, System::Access::write);
  const auto count = [&](std::uint64_t errors, std::uint64_t bits) {
    system.measured[DTV_STAT_POST_ERROR_BIT_COUNT] = value(FE_SCALE_COUNTER, errors);
    system.measured[DTV_STAT_POST_TOTAL_BIT_COUNT] = value(FE_SCALE_COUNTER, bits);
    return front_end.signal(true);
  };
  count(100, 1'000'000);
  const auto second = count(150, 2'000'000);
  CHECK(*second.bit_errors == 50);
  CHECK(*second.bit_error_rate == doctest::Approx(50e-6));
  CHECK_FALSE(count(150, 2'000'000).bit_error_rate);
  CHECK_FALSE(count(3, 1000).bit_error_rate);  // counters were reset
  CHECK(*count(5, 3000).bit_errors == 2);
  system.measured[DTV_STAT_ERROR_BLOCK_COUNT] = value(FE_SCALE_COUNTER, 12);
  CHECK(*front_end.signal(true).bad_blocks == 12);
}

TEST_CASE("A driver without statistics is read with the calls of API 3") {
  Scripted system;
  system.legacy_snr = 32768;
  system.legacy_strength = 65535;
  FrontEnd front_end(system, kFrontEnd, System::Access::write);
  const auto signal = front_end.signal(true);
  CHECK(signal.snr_percent == 50);
  CHECK(signal.strength_percent == 100);
  CHECK_FALSE(signal.snr_decibel);
  // Not if there are statistics that have no value yet.
  system.measured[DTV_STAT_CNR] = value(FE_SCALE_NOT_AVAILABLE, 0);
  CHECK(front_end.signal(true).snr_percent == 0);
}

TEST_CASE("All front ends of a machine are found and listed") {
  Scripted system;
  system.folders = {{"/dev/dvb", {"adapter0", "adapter10", "adapter2", "adapterX", "other"}},
                    {"/dev/dvb/adapter0/", {"demux0", "frontend0", "frontend1"}},
                    {"/dev/dvb/adapter10/", {"demux0", "demux1", "frontend0", "frontend1"}},
                    {"/dev/dvb/adapter2/", {"ca0", "frontend0x"}}};
  system.refused["/dev/dvb/adapter0/frontend1"] = EACCES;
  const auto found = find_front_ends(system);
  REQUIRE(found.size() == 4);
  CHECK(found[0].shared);
  CHECK(found[1].error.find("no permission") != std::string::npos);
  CHECK_FALSE(found[1].capabilities);
  CHECK(found[2].adapter == 10);
  CHECK_FALSE(found[2].shared);
  CHECK(system.open_devices() == 0);
  const auto log = system.take_log();
  CHECK(std::ranges::count(log, "open frontend0 to read") == 2);
  CHECK(front_ends_json({found[0]}) ==
        R"([{"adapter":0,"frontend":0,"shared":true,"trouble":"","name":"Scripted","systems":["DVB-T","DVB-T2"]}])");
}
