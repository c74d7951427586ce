// Tests of the thread of a front end: its calls to the driver, their order, and that no caller waits for it.
#include "frontend/control.h"

#include <doctest/doctest.h>

#include <chrono>

#include "scripted.h"

using namespace receiverd;
using namespace receiverd::frontend;
using namespace std::chrono_literals;
using Log = std::vector<std::string>;

namespace {

constexpr const char* kPath = "/dev/dvb/adapter0/frontend0";

dvb::TuningOrder terrestrial(std::uint64_t frequency) {
  dvb::TuningOrder order;
  order.transponder = {.kind = dvb::Transponder::Kind::terrestrial, .frequency = frequency, .system = 0};
  return order;
}

dvb::TuningOrder satellite() {
  dvb::TuningOrder order;
  order.transponder = {
      .kind = dvb::Transponder::Kind::satellite, .frequency = 1'743'750, .symbol_rate = 22'000'000, .system = 0};
  order.all_steps = {
      dvb::SetTone{false},  dvb::SetVoltage{18},        dvb::Wait{3ms},    dvb::SendCommand{{0xE0, 0x10, 0x38, 0xF6}},
      dvb::SendBurst{true}, dvb::IncreaseVoltage{true}, dvb::SetTone{true}};
  order.changed_steps = {dvb::SetVoltage{13}};
  order.end_steps = {dvb::SetTone{false}, dvb::SetVoltage{0}};
  return order;
}

}  // namespace

TEST_CASE("The steps of a dish are done in order, with their waits") {
  Scripted system;
  FrontEnd front_end(system, kPath, System::Access::write);
  const dvb::TuningOrder order = satellite();
  const bool done = run_steps(front_end, order.all_steps, [&](std::chrono::milliseconds time) {
    system.log("wait " + std::to_string(time.count()));
    return true;
  });
  CHECK(done);
  CHECK(system.take_log() ==
        Log{"open frontend0", "tone off", "18 V", "wait 3", "send E0 10 38 F6", "burst B", "more voltage", "tone on"});
}

TEST_CASE("Steps that a front end does not support are skipped; an interrupted wait ends them") {
  Scripted system;
  system.failing = {{FE_SET_TONE, EOPNOTSUPP}, {FE_ENABLE_HIGH_LNB_VOLTAGE, 524}};
  FrontEnd front_end(system, kPath, System::Access::write);
  const dvb::TuningOrder order = satellite();
  CHECK(run_steps(front_end, order.all_steps, [](auto) { return true; }));
  CHECK(system.take_log() == Log{"open frontend0", "18 V", "send E0 10 38 F6", "burst B"});
  CHECK_FALSE(run_steps(front_end, order.all_steps, [](auto) { return false; }));
  CHECK(system.take_log() == Log{"18 V"});
}

TEST_CASE("Dish steps when tuning, retuning, changing the transponder and stopping") {
  Scripted system;
  system.systems = {SYS_DVBS, SYS_DVBS2};
  {
    Control control(system, kPath);
    CHECK(system.open_devices() == 0);
    control.tune(satellite(), {});
    system.lock(true);
    REQUIRE(wait_for([&] { return control.view().signal.locked; }));
    CHECK(system.take_log() == Log{"open frontend0", "tone off", "18 V", "send E0 10 38 F6", "burst B", "more voltage",
                                   "tone on", "tune 5 at 1743750"});
    // The state of the dish is known now.
    control.tune(satellite(), {});
    REQUIRE(wait_for([&] { return control.view().tuned; }));
    CHECK(system.take_log() == Log{"13 V", "tune 5 at 1743750"});
    control.tune(satellite(), {.variant = 0, .all_steps = true});
    REQUIRE(wait_for([&] { return control.view().tuned; }));
    CHECK(system.take_log().size() == 7);
  }
  CHECK(system.take_log() == Log{"tone off", "0 V", "close"});
}

TEST_CASE("After a reset of the hardware, all dish steps are repeated") {
  Scripted system;
  system.systems = {SYS_DVBS};
  Control control(system, kPath);
  control.tune(satellite(), {});
  system.lock(true);
  REQUIRE(wait_for([&] { return control.view().signal.locked; }));
  system.take_log();
  system.reset();
  REQUIRE(wait_for([&] { return !control.view().signal.locked; }));
  control.tune(satellite(), {});
  REQUIRE(wait_for([&] { return control.view().tuned; }));
  CHECK(system.take_log().size() == 7);
}

TEST_CASE("The variants of an order are tuned as requested") {
  Scripted system;
  system.locks_at = [](const auto& tuned) { return tuned.at(DTV_DELIVERY_SYSTEM) == SYS_DVBT2; };
  Control control(system, kPath);
  dvb::TuningOrder order = terrestrial(474'000'000);
  order.transponder.system = -1;
  control.tune(order, {});
  REQUIRE(wait_for([&] { return control.view().tuned; }));
  CHECK(control.view().variants == 3);
  CHECK_FALSE(control.view().signal.locked);
  control.tune(order, {.variant = 1, .all_steps = false});
  REQUIRE(wait_for([&] { return control.view().signal.locked; }));
  CHECK(system.take_log() == Log{"open frontend0", "tune 3 at 474000000", "tune 16 at 474000000"});
}

TEST_CASE("Errors of a front end have a reason") {
  const auto view_after = [](int error) {
    Scripted system;
    system.refused[kPath] = error;
    Control control(system, kPath);
    control.tune(terrestrial(474'000'000), {});
    REQUIRE(wait_for([&] { return !control.view().tuning_error.empty(); }));
    CHECK_FALSE(control.view().tuned);
    return control.view();
  };
  CHECK(view_after(EACCES).tuning_error ==
        "/dev/dvb/adapter0/frontend0: no permission; the user of this program must be in the group video");
  CHECK(view_after(EBUSY).tuning_error == "/dev/dvb/adapter0/frontend0: in use by another program");
  CHECK_FALSE(view_after(EBUSY).gone);
  CHECK(view_after(ENODEV).gone);

  Scripted cable;
  cable.systems = {SYS_DVBC_ANNEX_A};
  Control control(cable, kPath);
  control.tune(terrestrial(474'000'000), {});
  REQUIRE(wait_for([&] { return !control.view().tuning_error.empty(); }));
  CHECK(control.view().tuning_error == "the front end does not support the delivery system of this transponder");
}

TEST_CASE("A frequency that the driver refuses is an error, the next order is not affected") {
  Scripted system;
  system.failing[FE_SET_PROPERTY] = EINVAL;
  Control control(system, kPath);
  control.tune(terrestrial(1), {});
  REQUIRE(wait_for([&] { return !control.view().tuning_error.empty(); }));
  CHECK(control.view().tuning_error == "/dev/dvb/adapter0/frontend0: Invalid argument");
}

TEST_CASE("No caller waits for a driver that hangs") {
  // Abandoned threads use it until the end of the process, so it is never destroyed.
  static Scripted& system = *new Scripted;
  system.hang();
  const auto begin = std::chrono::steady_clock::now();
  {
    Control control(system, kPath);
    control.tune(terrestrial(474'000'000), {});
    REQUIRE(wait_for([] { return system.is_stuck(); }));
    CHECK_FALSE(control.view().tuned);
    control.tune(terrestrial(482'000'000), {});
  }
  CHECK(std::chrono::steady_clock::now() - begin >= Control::kStopTimeout);
  system.release();
  CHECK(wait_for([] { return system.open_devices() == 0; }));
}

TEST_CASE("A new order interrupts the waits of the previous one") {
  Scripted system;
  system.systems = {SYS_DVBS};
  Control control(system, kPath);
  dvb::TuningOrder slow = satellite();
  slow.all_steps = {dvb::SetVoltage{18}, dvb::Wait{1h}};
  control.tune(slow, {});
  REQUIRE(wait_for([&, seen = Log{}]() mutable {
    for (auto& line : system.take_log()) seen.push_back(line);
    return !seen.empty() && seen.back() == "18 V";
  }));
  control.tune(satellite(), {});
  REQUIRE(wait_for([&] { return control.view().tuned; }));
  // All steps, since the state of the dish is unknown.
  CHECK(system.take_log().size() == 7);
}
