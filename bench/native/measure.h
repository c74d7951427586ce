// Times a contender of a benchmark and prints the result for bench/comparison.ts.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace receiverd::bench {

/// Runs `run` once, then repeatedly for `milliseconds`; it returns a number that must stay the same. A sample is the
/// milliseconds by which `now` advances.
template <typename Run, typename Now>
void measure(const char* name, int milliseconds, const char* separator, Run run, Now now) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t result = run();
  std::printf("%s{\"name\":\"%s\",\"result\":%llu,\"samples\":[", separator, name,
              static_cast<unsigned long long>(result));
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (bool first = true; first || Clock::now() < end; first = false) {
    const double begin = now();
    if (run() != result) std::abort();
    std::printf("%s%.6f", first ? "" : ",", now() - begin);
  }
  std::printf("]}");
}

/// Measures wall-clock time.
template <typename Run>
void measure(const char* name, int milliseconds, const char* separator, Run run) {
  const auto start = std::chrono::steady_clock::now();
  measure(name, milliseconds, separator, run, [start] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  });
}

}  // namespace receiverd::bench
