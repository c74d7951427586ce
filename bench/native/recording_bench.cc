// Benchmark of the cost of recording: `recording_bench CAPTURE FOLDER MILLISECONDS` prints JSON for
// bench/recording.bench.ts. Samples are CPU time, user and system, of all threads.
//
//   receiverd    a tuner that reads the capture from memory, extracts its first service and passes it to four
//                recordings, which write it together with their side files
//   cat          the program, once for each of four copies of such a file: only moves the bytes
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dvb/si/tables.h"
#include "dvb/tuner.h"
#include "measure.h"
#include "recording/recording.h"

namespace {

using namespace receiverd;
using namespace std::chrono_literals;

constexpr int kRecordings = 4;
constexpr std::size_t kBytes = 20'000'000;  // of the capture, repeated, for each run

double cpu_milliseconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// Delivers `bytes` repeatedly, once allowed.
class MemorySource final : public dvb::Source {
 public:
  MemorySource(wire::Bytes bytes, const std::atomic<bool>& go) : bytes_(bytes), go_(go) {}
  dvb::ReadResult read(std::span<std::uint8_t> buffer) override {
    if (!go_) {
      std::this_thread::sleep_for(1ms);
      return {dvb::ReadResult::State::idle, 0};
    }
    if (given_ >= kBytes) return {dvb::ReadResult::State::ended, 0};
    const std::size_t at = given_ % bytes_.size();
    const std::size_t size = std::min(buffer.size(), bytes_.size() - at);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), size, buffer.begin());
    given_ += size;
    return {dvb::ReadResult::State::data, size};
  }
  dvb::SignalQuality signal() const override { return {}; }
  std::string error() const override { return {}; }

 private:
  wire::Bytes bytes_;
  const std::atomic<bool>& go_;
  std::size_t given_ = 0;
};

std::uint16_t first_service(wire::Bytes stream) {
  struct Handler final : dvb::SectionHandler {
    void section(wire::Bytes section, std::uint16_t) override { dvb::append_section(section, pat); }
    dvb::Pat pat;
  } handler;
  dvb::Demux demux;
  demux.add_handler(dvb::pid::kPat, handler);
  demux.feed(stream);
  return handler.pat.programs.empty() ? std::uint16_t{0} : handler.pat.programs.front().service_id;
}

std::uint64_t record(wire::Bytes stream, std::uint16_t service, const std::string& folder) {
  std::atomic<bool> go{false};
  dvb::Tuner tuner([&] { return std::make_unique<MemorySource>(stream, go); }, nullptr, [] {},
                   {.wait_for_readers = true});
  tuner.start();
  std::vector<std::unique_ptr<recording::Recording>> all;
  for (int i = 0; i < kRecordings; ++i) {
    const std::string path = folder + "/recorded" + std::to_string(i) + ".ts";
    std::ofstream(path, std::ios::trunc).close();
    all.push_back(std::make_unique<recording::Recording>(recording::RecordingOptions{.path = path}));
    tuner.open_stream(service, false, all.back()->open_queue());
  }
  go = true;
  while (tuner.running()) std::this_thread::sleep_for(1ms);
  std::uint64_t bytes = 0;
  for (const auto& one : all) {
    one->stop();
    const recording::RecordingStatus status = one->status();
    if (status.lost != 0 || status.error != 0) std::abort();
    bytes += status.bytes;
  }
  return bytes;
}

std::uint64_t cat(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < kRecordings; ++i) {
    const std::string from = folder + "/recorded0.ts";
    const std::string to = folder + "/copy" + std::to_string(i) + ".ts";
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(file, STDOUT_FILENO);
      ::execlp("cat", "cat", from.c_str(), static_cast<char*>(nullptr));
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) std::abort();
    bytes += std::filesystem::file_size(to);
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::vector<std::uint8_t> stream{std::istreambuf_iterator<char>(file), {}};
  const std::string folder = arguments[2];
  const int milliseconds = std::atoi(arguments[3]);
  const std::uint16_t service = first_service(stream);
  std::printf("[");
  bench::measure(
      "receiverd", milliseconds, "", [&] { return record(stream, service, folder); },
      [] { return cpu_milliseconds(RUSAGE_SELF); });
  bench::measure(
      "cat", milliseconds, ",", [&] { return cat(folder); }, [] { return cpu_milliseconds(RUSAGE_CHILDREN); });
  std::printf("]\n");
}
