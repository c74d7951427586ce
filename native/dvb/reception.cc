#include "dvb/reception.h"

#include <algorithm>
#include <array>
#include <utility>

namespace receiverd::dvb {

namespace {

/// Pauses after the first, second, ... failure since the last data.
constexpr std::array kPauses = {std::chrono::seconds(1), std::chrono::seconds(2), std::chrono::seconds(5),
                                std::chrono::seconds(10)};

}  // namespace

std::optional<Attempt> Reception::step(Time now, const Observation& observed) {
  switch (state_) {
    case State::tuning:
    case State::retuning:
      return wait_for_lock(now, observed);
    case State::locked:
      watch_lock(now, observed);
      return std::nullopt;
    case State::lost:
      break;
  }
  if (failures_ > 0 && now - since_ < kPauses[std::min<std::size_t>(failures_, kPauses.size()) - 1])
    return std::nullopt;
  enter(State::retuning, now);
  return attempt(now, failures_ > 0);
}

Attempt Reception::attempt(Time now, bool all_steps) {
  lock_wait_start_ = now;
  was_untuned_ = false;
  return {.variant = variant_, .all_steps = all_steps};
}

std::optional<Attempt> Reception::wait_for_lock(Time now, const Observation& observed) {
  if (observed.locked) {
    enter(State::locked, now);
    lock_wait_start_ = last_data_at_ = now;
    ever_locked_ = true;
    return std::nullopt;
  }
  if (!observed.error.empty()) {
    ++failures_;
    lose(now, observed.error);
    return std::nullopt;
  }
  if (observed.tuned && was_untuned_) lock_wait_start_ = now;
  was_untuned_ = !observed.tuned;
  if (now - lock_wait_start_ < observed.timeout) return std::nullopt;
  // The next variant is tried only if none has ever locked.
  if (observed.tuned && !ever_locked_ && ++variant_ < observed.variants) return attempt(now, false);
  if (!ever_locked_) variant_ = 0;
  ++failures_;
  lose(now, observed.tuned ? "no signal" : "the driver does not answer");
  return std::nullopt;
}

void Reception::watch_lock(Time now, const Observation& observed) {
  if (observed.locked) lock_wait_start_ = now;
  if (observed.data) {
    last_data_at_ = now;
    failures_ = 0;
  }
  if (!observed.error.empty()) return lose(now, observed.error);
  if (now - lock_wait_start_ >= kUnlockedTimeout) return lose(now, "the signal was lost");
  if (now - last_data_at_ < kNoDataTimeout) return;
  ++failures_;
  lose(now, "the signal carries no data");
}

void Reception::enter(State state, Time now) {
  state_ = state;
  since_ = now;
}

void Reception::lose(Time now, std::string reason) {
  enter(State::lost, now);
  reason_ = std::move(reason);
}

}  // namespace receiverd::dvb
