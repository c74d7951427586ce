// Waiting for other threads.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace receiverd {

/// Long enough for a loaded machine: only a condition that never becomes true waits so long.
inline constexpr std::chrono::seconds kWaitTimeout{120};

/// Returns false if the condition is still not true after kWaitTimeout.
inline bool wait_for(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kWaitTimeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace receiverd
