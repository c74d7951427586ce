// Tests of when a tuner counts as receiving, and when it is retuned.
#include "dvb/reception.h"

#include <doctest/doctest.h>

using namespace receiverd::dvb;
using namespace std::chrono_literals;
using State = Reception::State;

namespace {

constexpr Reception::Time kStart{};

struct Trial {
  Reception reception{kStart};
  Reception::Time now = kStart;

  std::optional<Attempt> step(std::chrono::milliseconds later, const Reception::Observation& observed) {
    now += later;
    return reception.step(now, observed);
  }
};

const Reception::Observation kNothing = {.timeout = 5s};
const Reception::Observation kGood = {.locked = true, .data = true};

}  // namespace

TEST_CASE("A signal that is found immediately gives a lock") {
  Trial trial;
  CHECK(trial.reception.state() == State::tuning);
  CHECK_FALSE(trial.step(100ms, kNothing));
  CHECK_FALSE(trial.step(100ms, kGood));
  CHECK(trial.reception.state() == State::locked);
  CHECK(trial.reception.since() == kStart + 200ms);
  CHECK(trial.reception.reason().empty());
}

TEST_CASE("Without a signal, all variants are tried immediately, then again after growing pauses") {
  Trial trial;
  Reception::Observation observed = kNothing;
  observed.variants = 2;
  CHECK_FALSE(trial.step(4999ms, observed));
  CHECK(trial.step(1ms, observed) == Attempt{1, false});
  CHECK(trial.reception.state() == State::tuning);
  CHECK_FALSE(trial.step(5s, observed));
  CHECK(trial.reception.state() == State::lost);
  CHECK(trial.reception.reason() == "no signal");
  for (const auto pause : {1s, 2s, 5s, 10s, 10s}) {
    CHECK_FALSE(trial.step(pause - 1ms, observed));
    CHECK(trial.step(1ms, observed) == Attempt{0, true});
    CHECK(trial.reception.state() == State::retuning);
    CHECK(trial.step(5s, observed) == Attempt{1, false});
    CHECK_FALSE(trial.step(5s, observed));
    CHECK(trial.reception.state() == State::lost);
  }
  CHECK(trial.step(10s, observed) == Attempt{0, true});
  CHECK_FALSE(trial.step(1s, kGood));
  CHECK(trial.reception.state() == State::locked);
}

TEST_CASE("After a lost signal, the variant that worked is retried, first without the dish steps") {
  Trial trial;
  Reception::Observation observed = kNothing;
  observed.variants = 3;
  CHECK(trial.step(5s, observed) == Attempt{1, false});
  trial.step(1s, kGood);
  CHECK_FALSE(trial.step(500ms, observed));
  CHECK(trial.reception.state() == State::locked);
  trial.step(10ms, kGood);
  CHECK_FALSE(trial.step(1s, observed));
  CHECK(trial.reception.state() == State::lost);
  CHECK(trial.reception.reason() == "the signal was lost");
  CHECK(trial.step(1ms, observed) == Attempt{1, false});
  CHECK_FALSE(trial.step(5s, observed));
  CHECK(trial.reception.state() == State::lost);
  CHECK(trial.step(1s, observed) == Attempt{1, true});
  CHECK_FALSE(trial.step(1s, kGood));
  CHECK(trial.reception.state() == State::locked);
}

TEST_CASE("A signal without data is retuned") {
  Trial trial;
  trial.step(1s, kGood);
  const Reception::Observation empty = {.locked = true};
  CHECK_FALSE(trial.step(6999ms, empty));
  CHECK_FALSE(trial.step(1ms, empty));
  CHECK(trial.reception.state() == State::lost);
  CHECK(trial.reception.reason() == "the signal carries no data");
  CHECK(trial.step(1s, empty) == Attempt{0, true});
  CHECK_FALSE(trial.step(1ms, empty));
  CHECK(trial.reception.state() == State::locked);
  // Data, and the next pause is the first again.
  CHECK_FALSE(trial.step(1ms, kGood));
  CHECK_FALSE(trial.step(7s, empty));
  CHECK(trial.step(1s, empty) == Attempt{0, true});
}

TEST_CASE("The lock timeout starts when the dish is ready") {
  Trial trial;
  Reception::Observation moving = {.tuned = false, .timeout = 60s};
  CHECK_FALSE(trial.step(50s, moving));
  CHECK_FALSE(trial.step(1ms, kNothing));
  CHECK_FALSE(trial.step(4999ms, kNothing));
  CHECK(trial.reception.state() == State::tuning);
  CHECK_FALSE(trial.step(1ms, kNothing));
  CHECK(trial.reception.state() == State::lost);
}

TEST_CASE("A driver that does not answer, and one that refuses, are reported") {
  Trial silent;
  CHECK_FALSE(silent.step(20s, {.tuned = false, .timeout = 20s}));
  CHECK(silent.reception.state() == State::lost);
  CHECK(silent.reception.reason() == "the driver does not answer");
  Trial refusing;
  Reception::Observation observed = {.tuned = false, .error = "in use by another program", .timeout = 20s};
  CHECK_FALSE(refusing.step(1ms, observed));
  CHECK(refusing.reception.reason() == "in use by another program");
  CHECK(refusing.step(1s, observed) == Attempt{0, true});
}
