// Times a contender of a benchmark and prints it as bench/comparison.ts reads it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace receiverd::bench {

/// Runs `run` once, then again and again for so many milliseconds; it gives a number that must stay the same.
template <typename Run>
void measure(const char* name, int milliseconds, const char* separator, Run run) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t result = run();
  std::printf("%s{\"name\":\"%s\",\"result\":%llu,\"samples\":[", separator, name,
              static_cast<unsigned long long>(result));
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (bool first = true; first || Clock::now() < end; first = false) {
    const auto begin = Clock::now();
    if (run() != result) std::abort();
    std::printf("%s%.6f", first ? "" : ",", std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::printf("]}");
}

}  // namespace receiverd::bench
