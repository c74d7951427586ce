// Benchmark from packets to stored events: `eit_bench FILE MILLISECONDS all|unwanted` prints JSON for
// bench/comparison.ts.
//
//   all        the file, as a tuner reads it, into an empty guide each time: packets, sections, section filter,
//   decoder,
//              store with its index. The result is the number of events.
//   unwanted   the packets of PIDs without service information, through a demux that waits for SI. The result is the
//              number of packets.
//
// The rival is memcpy of the same bytes: the minimum cost of touching them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "dvb/multiplex/demux.h"
#include "dvb/packets/packet_reader.h"
#include "epg/eit/eit_decoder.h"
#include "epg/ingest/ingest.h"
#include "epg/store/store.h"
#include "measure.h"

namespace {

using namespace receiverd;
using wire::Bytes;

constexpr std::size_t kChunk = dvb::kPacketSize * 348;  // about 64 KiB, as a tuner thread reads
constexpr std::array<std::uint16_t, 5> kSiPids{0x0000, 0x0010, 0x0011, 0x0012, 0x0014};

/// Processes a section as the guide thread does, without the queue before it.
class Guide final : public dvb::SectionHandler {
 public:
  void section(Bytes section, std::uint16_t) override {
    const auto fingerprint = epg::fingerprint_of(section);
    if (!fingerprint || filter_.seen(*fingerprint)) return;
    if (const epg::EitSection* decoded = decoder_.decode(section, epg::rules_of_eit(section));
        decoded != nullptr && store_.apply(*decoded)) {
      filter_.note(*fingerprint);
    }
  }
  std::size_t events() const { return store_.read().events(); }

 private:
  epg::SectionFilter filter_;
  epg::EitDecoder decoder_;
  epg::Store store_;
};

class Nobody final : public dvb::SectionHandler {
 public:
  void section(Bytes, std::uint16_t) override {}
};

void feed(Bytes stream, dvb::Demux& demux) {
  dvb::PacketReader reader;
  for (std::size_t at = 0; at < stream.size(); at += kChunk) {
    reader.feed(stream.subspan(at, std::min(kChunk, stream.size() - at)));
    for (Bytes packets; !(packets = reader.next()).empty();) demux.feed(packets);
  }
}

std::uint64_t run_guide(Bytes stream) {
  const auto guide = std::make_unique<Guide>();
  dvb::Demux demux;
  demux.add_handler(dvb::pid::kEit, *guide);
  feed(stream, demux);
  return guide->events();
}

std::uint64_t run_unwanted(Bytes stream) {
  dvb::Demux demux;
  Nobody nobody;
  for (const std::uint16_t pid : kSiPids) demux.add_handler(pid, nobody);
  feed(stream, demux);
  return demux.totals().packets;
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

std::vector<std::uint8_t> without_service_information(Bytes stream) {
  std::vector<std::uint8_t> rest;
  for (std::size_t at = 0; at + dvb::kPacketSize <= stream.size(); at += dvb::kPacketSize) {
    const dvb::Packet packet(stream.data() + at);
    if (packet.pid() < 0x20) continue;
    rest.insert(rest.end(), stream.begin() + static_cast<std::ptrdiff_t>(at),
                stream.begin() + static_cast<std::ptrdiff_t>(at + dvb::kPacketSize));
  }
  return rest;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  std::vector<std::uint8_t> stream{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const int milliseconds = std::atoi(arguments[2]);
  const bool unwanted = std::string_view(arguments[3]) == "unwanted";
  if (unwanted) stream = without_service_information(stream);
  if (stream.empty()) return 1;
  std::printf("[");
  bench::measure("receiverd", milliseconds, "", [&] { return unwanted ? run_unwanted(stream) : run_guide(stream); });
  bench::measure("memcpy", milliseconds, ",", [&] { return run_memcpy(stream); });
  std::printf("]\n");
  return 0;
}
