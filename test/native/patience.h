// Waiting for what other threads do.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace receiverd {

/// Only what never comes takes so long.
inline constexpr std::chrono::seconds kPatience{120};

/// Returns false if the condition is still not true after kPatience.
inline bool wait_for(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace receiverd
