#include "dvb/reception.h"

#include <algorithm>
#include <array>
#include <utility>

namespace receiverd::dvb {

namespace {

/// After the first, second, ... failure.
constexpr std::array kPauses = {std::chrono::seconds(1), std::chrono::seconds(2), std::chrono::seconds(5),
                                std::chrono::seconds(10)};

}  // namespace

std::optional<Attempt> Reception::step(Time now, const Observed& observed) {
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

Attempt Reception::attempt(Time now, bool afresh) {
  good_at_ = now;
  was_untuned_ = false;
  return {.variant = variant_, .afresh = afresh};
}

std::optional<Attempt> Reception::wait_for_lock(Time now, const Observed& observed) {
  if (observed.locked) {
    enter(State::locked, now);
    good_at_ = data_at_ = now;
    ever_locked_ = true;
    return std::nullopt;
  }
  if (!observed.trouble.empty()) {
    ++failures_;
    lose(now, observed.trouble);
    return std::nullopt;
  }
  if (observed.tuned && was_untuned_) good_at_ = now;
  was_untuned_ = !observed.tuned;
  if (now - good_at_ < observed.patience) return std::nullopt;
  // What has locked once is right.
  if (observed.tuned && !ever_locked_ && ++variant_ < observed.variants) return attempt(now, false);
  if (!ever_locked_) variant_ = 0;
  ++failures_;
  lose(now, observed.tuned ? "no signal" : "the driver does not answer");
  return std::nullopt;
}

void Reception::watch_lock(Time now, const Observed& observed) {
  if (observed.locked) good_at_ = now;
  if (observed.data) {
    data_at_ = now;
    failures_ = 0;
  }
  if (!observed.trouble.empty()) return lose(now, observed.trouble);
  if (now - good_at_ >= kUnlocked) return lose(now, "the signal was lost");
  if (now - data_at_ < kNoData) return;
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
