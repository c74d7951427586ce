// File source: any bytes as a looped file, with survey, seam and shifted clocks, must yield only whole packets.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dvb/file_source.h"

using namespace receiverd::dvb;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int memory = ::memfd_create("loop", MFD_CLOEXEC);
  if (memory < 0 || ::write(memory, data, size) != static_cast<ssize_t>(size)) std::abort();
  FileSource source({.path = "/proc/self/fd/" + std::to_string(memory), .loop = true, .paced = false});
  std::vector<std::uint8_t> buffer(16 * kPacketSize);
  // Three passes, or as many as a file of only omitted packets yields.
  for (int reads = 0; reads < 2000 && source.passes() < 3; ++reads) {
    const ReadResult result = source.read(buffer);
    if (result.state == ReadResult::State::failed || result.state == ReadResult::State::ended) break;
    if (result.size % kPacketSize != 0) std::abort();
    for (std::size_t at = 0; at < result.size; at += kPacketSize) {
      if (buffer[at] != kSyncByte) std::abort();
    }
  }
  ::close(memory);
  return 0;
}
