// Tests of converting lamedb's transponders to the kernel's properties.
#include "frontend/properties.h"

#include <doctest/doctest.h>
#include <linux/dvb/frontend.h>

#include <map>

using namespace receiverd;
using namespace receiverd::frontend;
using dvb::Transponder;

namespace {

constexpr std::uint32_t kApi = 0x50B;

/// The variants, each by property.
std::vector<std::map<std::uint32_t, std::uint32_t>> tuned(const Transponder& transponder,
                                                          const std::vector<std::uint8_t>& systems,
                                                          std::uint32_t api = kApi) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> all;
  for (const auto& variant : variants_of(transponder, systems, api)) {
    CHECK(variant.front() == Property{DTV_CLEAR, 0});
    CHECK(variant[1].command == DTV_DELIVERY_SYSTEM);
    CHECK(variant.back() == Property{DTV_TUNE, 0});
    auto& one = all.emplace_back();
    for (const Property& property : variant) one[property.command] = property.value;
  }
  return all;
}

Transponder second_generation() {
  return {.kind = Transponder::Kind::satellite,
          .frequency = 1'743'750,
          .symbol_rate = 22'000'000,
          .inversion = 2,
          .system = 1,
          .modulation = 2,
          .fec = 2,
          .roll_off = 0,
          .pilot = 1};
}

}  // namespace

TEST_CASE("The properties of a DVB-S2 transponder") {
  const auto all = tuned(second_generation(), {SYS_DVBS, SYS_DVBS2});
  REQUIRE(all.size() == 1);
  auto one = all.front();
  CHECK(one[DTV_DELIVERY_SYSTEM] == SYS_DVBS2);
  CHECK(one[DTV_FREQUENCY] == 1'743'750);
  CHECK(one[DTV_SYMBOL_RATE] == 22'000'000);
  CHECK(one[DTV_INNER_FEC] == FEC_2_3);
  CHECK(one[DTV_MODULATION] == PSK_8);
  CHECK(one[DTV_ROLLOFF] == ROLLOFF_35);
  CHECK(one[DTV_PILOT] == PILOT_ON);
  CHECK(one[DTV_STREAM_ID] == NO_STREAM_ID_FILTER);
  CHECK(one[DTV_SCRAMBLING_SEQUENCE_INDEX] == 0);
  CHECK_FALSE(one.contains(DTV_LNA));
}

TEST_CASE("Roll-off and pilot have other numbers in lamedb than in the kernel") {
  for (const auto& [number, value] : {std::pair{0, ROLLOFF_35}, {1, ROLLOFF_25}, {2, ROLLOFF_20}, {3, ROLLOFF_AUTO}}) {
    Transponder of = second_generation();
    of.roll_off = number;
    CHECK(tuned(of, {SYS_DVBS2}).front()[DTV_ROLLOFF] == static_cast<std::uint32_t>(value));
  }
}

TEST_CASE("Parameters that lamedb leaves open become variants") {
  Transponder of = second_generation();
  of.modulation = 0;
  of.pilot = 2;
  const auto all = tuned(of, {SYS_DVBS2});
  REQUIRE(all.size() == 4);
  CHECK(all[0].at(DTV_MODULATION) == PSK_8);
  CHECK(all[1].at(DTV_MODULATION) == QPSK);
  CHECK(all[0].at(DTV_PILOT) == PILOT_AUTO);
  CHECK(all[3].at(DTV_PILOT) == PILOT_ON);
}

TEST_CASE("A DVB-S transponder is QPSK, whatever lamedb says") {
  Transponder of = second_generation();
  of.system = 0;
  const auto all = tuned(of, {SYS_DVBS});
  REQUIRE(all.size() == 1);
  CHECK(all[0].at(DTV_MODULATION) == QPSK);
  CHECK(tuned(second_generation(), {SYS_DVBS}).empty());
}

TEST_CASE("Stream id and scrambling code before and after API 5.11") {
  Transponder of = second_generation();
  of.stream_id = 4;
  of.pls_code = 8192;
  CHECK(tuned(of, {SYS_DVBS2}).front()[DTV_STREAM_ID] == 4);
  CHECK(tuned(of, {SYS_DVBS2}).front()[DTV_SCRAMBLING_SEQUENCE_INDEX] == 8192);
  auto old = tuned(of, {SYS_DVBS2}, 0x50A).front();
  CHECK(old[DTV_STREAM_ID] == (4U | 8192U << 8 | 1U << 26));
  CHECK_FALSE(old.contains(DTV_SCRAMBLING_SEQUENCE_INDEX));
}

TEST_CASE("A terrestrial transponder that may be DVB-T or DVB-T2 has a variant of each") {
  Transponder of = {.kind = Transponder::Kind::terrestrial, .frequency = 474'000'000, .system = -1};
  const auto both = tuned(of, {SYS_DVBT, SYS_DVBT2});
  REQUIRE(both.size() == 3);
  CHECK(both[0].at(DTV_DELIVERY_SYSTEM) == SYS_DVBT);
  CHECK(both[0].at(DTV_BANDWIDTH_HZ) == 8'000'000);
  CHECK(both[0].at(DTV_LNA) == LNA_AUTO);
  CHECK(both[1].at(DTV_DELIVERY_SYSTEM) == SYS_DVBT2);
  CHECK(both[1].at(DTV_STREAM_ID) == 0);
  CHECK(both[2].at(DTV_STREAM_ID) == NO_STREAM_ID_FILTER);
  CHECK(tuned(of, {SYS_DVBT}).size() == 1);
  of.system = 1;
  of.plp_id = 2;
  REQUIRE(tuned(of, {SYS_DVBT, SYS_DVBT2}).size() == 1);
  CHECK(tuned(of, {SYS_DVBT2}).front()[DTV_STREAM_ID] == 2);
  CHECK(tuned(of, {SYS_DVBT}).empty());
  CHECK_FALSE(tuned(of, {SYS_DVBT2}, 0x508).front().contains(DTV_LNA));
}

TEST_CASE("A terrestrial transponder with all parameters of lamedb") {
  const Transponder of = {.kind = Transponder::Kind::terrestrial,
                          .frequency = 205'500'000,
                          .inversion = 0,
                          .system = 0,
                          .bandwidth = 3,
                          .code_rate_high = 6,
                          .code_rate_low = 0,
                          .constellation = 4,
                          .transmission_mode = 5,
                          .guard_interval = 6,
                          .hierarchy = 2};
  auto one = tuned(of, {SYS_DVBT}).front();
  CHECK(one[DTV_BANDWIDTH_HZ] == 7'000'000);
  CHECK(one[DTV_CODE_RATE_HP] == FEC_6_7);
  CHECK(one[DTV_CODE_RATE_LP] == FEC_1_2);
  CHECK(one[DTV_MODULATION] == QAM_256);
  CHECK(one[DTV_TRANSMISSION_MODE] == TRANSMISSION_MODE_16K);
  CHECK(one[DTV_GUARD_INTERVAL] == GUARD_INTERVAL_19_128);
  CHECK(one[DTV_HIERARCHY] == HIERARCHY_2);
  CHECK(one[DTV_INVERSION] == INVERSION_OFF);
}

TEST_CASE("The properties of cable, ATSC and ISDB-T") {
  Transponder cable = {.kind = Transponder::Kind::cable,
                       .frequency = 346'000,
                       .symbol_rate = 6'900'000,
                       .system = 0,
                       .modulation = 5,
                       .fec = 15};
  auto one = tuned(cable, {SYS_DVBC_ANNEX_A}).front();
  CHECK(one[DTV_FREQUENCY] == 346'000'000);
  CHECK(one[DTV_MODULATION] == QAM_256);
  CHECK(one[DTV_INNER_FEC] == FEC_NONE);
  cable.system = 1;
  CHECK(tuned(cable, {SYS_DVBC_ANNEX_A}).empty());
  CHECK(tuned(cable, {SYS_DVBC_ANNEX_C}).size() == 1);
  cable.system = 2;
  CHECK(tuned(cable, {kDvbC2}).size() == 1);

  Transponder atsc = {.kind = Transponder::Kind::atsc, .frequency = 473'000'000, .modulation = 6};
  CHECK(tuned(atsc, {SYS_ATSC}).front()[DTV_MODULATION] == VSB_8);
  atsc.system = 1;
  CHECK(tuned(atsc, {SYS_ATSC}).empty());

  const Transponder japan = {.kind = Transponder::Kind::terrestrial, .frequency = 473'142'857, .system = 2};
  CHECK(tuned(japan, {SYS_ISDBT}).front()[DTV_ISDBT_LAYER_ENABLED] == 7);
}

TEST_CASE("Invalid numbers become automatic") {
  Transponder of = second_generation();
  of.fec = of.modulation = of.roll_off = of.inversion = 9999;
  of.pilot = -7;
  auto one = tuned(of, {SYS_DVBS2}).front();
  CHECK(one[DTV_INNER_FEC] == FEC_AUTO);
  CHECK(one[DTV_ROLLOFF] == ROLLOFF_AUTO);
  CHECK(one[DTV_INVERSION] == INVERSION_AUTO);
  CHECK(one[DTV_PILOT] == PILOT_AUTO);
}
