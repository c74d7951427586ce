// Benchmark from bytes to checked sections: `demux_bench FILE MILLISECONDS` prints JSON for bench/demux.bench.ts.
//
// Every contender gets the whole file in chunks, as from a tuner, and must deliver the sections of the SI PIDs (PAT,
// NIT, SDT/BAT, EIT, TDT/TOT), CRC checked. The number each one found is printed too, to prove that the work is equal:
//
//   receiverd    PacketReader (finds the packets) and Demux (continuity of every PID, sections)
//   libdvbpsi    VLC's section decoder; it needs aligned packets, sorted by PID, which the benchmark does for it
//   memcpy       copies the same bytes once: the minimum cost of reading memory
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "dvb/multiplex/demux.h"
#include "dvb/packets/packet_reader.h"
#include "measure.h"

#ifdef RECEIVERD_BENCH_DVBPSI
extern "C" {
#include <dvbpsi/dvbpsi.h>
// Requires the types of dvbpsi.h.
#include <dvbpsi/demux.h>
}
#endif

namespace {

using receiverd::bench::measure;
using receiverd::dvb::kPacketSize;
using receiverd::wire::Bytes;

constexpr std::size_t kChunk = kPacketSize * 348;  // about 64 KiB, as a tuner thread reads
constexpr std::array<std::uint16_t, 5> kSiPids{0x0000, 0x0010, 0x0011, 0x0012, 0x0014};

class SectionCounter : public receiverd::dvb::SectionHandler {
 public:
  std::uint64_t sections = 0;
  void section(Bytes, std::uint16_t) override { ++sections; }
};

std::uint64_t run_receiverd(Bytes stream) {
  receiverd::dvb::PacketReader reader;
  receiverd::dvb::Demux demux;
  SectionCounter counter;
  for (const std::uint16_t pid : kSiPids) demux.add_handler(pid, counter);
  for (std::size_t at = 0; at < stream.size(); at += kChunk) {
    reader.feed(stream.subspan(at, std::min(kChunk, stream.size() - at)));
    for (Bytes packets; !(packets = reader.next()).empty();) demux.feed(packets);
  }
  return counter.sections;
}

std::uint64_t run_memcpy(Bytes stream) {
  static std::vector<std::uint8_t> copy(kChunk);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < stream.size(); at += kChunk) {
    const std::size_t size = std::min(kChunk, stream.size() - at);
    std::memcpy(copy.data(), stream.data() + at, size);
    sum += copy[size - 1];  // so that the copy is not optimised away
  }
  return sum;
}

#ifdef RECEIVERD_BENCH_DVBPSI
/// The table is never decoded, so libdvbpsi asks again for each of its sections.
void count_section(dvbpsi_t*, std::uint8_t, std::uint16_t, void* counter) { ++*static_cast<std::uint64_t*>(counter); }

std::uint64_t run_dvbpsi(std::vector<std::uint8_t>& stream) {
  std::uint64_t sections = 0;
  std::array<dvbpsi_t*, 0x20> decoders{};
  for (const std::uint16_t pid : kSiPids) {
    decoders[pid] = dvbpsi_new(nullptr, DVBPSI_MSG_NONE);
    dvbpsi_AttachDemux(decoders[pid], count_section, &sections);
  }
  for (std::size_t at = 0; at + kPacketSize <= stream.size(); at += kPacketSize) {
    const unsigned pid = (stream[at + 1] & 0x1FU) << 8U | stream[at + 2];
    if (pid < decoders.size() && decoders[pid] != nullptr) dvbpsi_packet_push(decoders[pid], stream.data() + at);
  }
  for (dvbpsi_t* decoder : decoders) {
    if (decoder == nullptr) continue;
    dvbpsi_DetachDemux(decoder);
    dvbpsi_delete(decoder);
  }
  return sections;
}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  std::vector<std::uint8_t> stream{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const int milliseconds = std::atoi(arguments[2]);
  if (stream.empty()) return 1;
  std::printf("[");
  measure("receiverd", milliseconds, "", [&] { return run_receiverd(stream); });
  measure("memcpy", milliseconds, ",", [&] { return run_memcpy(stream); });
#ifdef RECEIVERD_BENCH_DVBPSI
  measure("libdvbpsi", milliseconds, ",", [&] { return run_dvbpsi(stream); });
#endif
  std::printf("]\n");
  return 0;
}
