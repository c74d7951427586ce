// Benchmark of the guide of ATSC: `psip_bench FILE MILLISECONDS` prints JSON for bench/comparison.ts. FILE has sections
// of EIT back to back. Each round decodes all of them; the result is the number of their events.
//
//   receiverd    sections to decoded events in the searchable store
//   libdvbpsi    VLC's decoder: sections to the fields of events, without their texts; a new decoder for each section,
//                since it ignores repeated ones
//   memcpy       copies the bytes once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "dvb/packets/section_writer.h"
#include "epg/atsc/psip_decoder.h"
#include "epg/store/store.h"
#include "measure.h"

#ifdef RECEIVERD_BENCH_DVBPSI
extern "C" {
#include <dvbpsi/dvbpsi.h>
// Requires the types of dvbpsi.h.
#include <dvbpsi/descriptor.h>
// Require those of both.
#include <dvbpsi/atsc_eit.h>
#include <dvbpsi/demux.h>
}
#endif

namespace {

using namespace receiverd;

std::vector<wire::Bytes> sections_of(wire::Bytes bytes) {
  std::vector<wire::Bytes> sections;
  while (bytes.size() >= dvb::kSectionHeaderSize && dvb::section_size(bytes) <= bytes.size()) {
    sections.push_back(bytes.first(dvb::section_size(bytes)));
    bytes = bytes.subspan(sections.back().size());
  }
  return sections;
}

std::uint64_t run_receiverd(const std::vector<wire::Bytes>& sections) {
  const auto store = std::make_unique<epg::Store>();
  epg::PsipDecoder decoder;
  for (const wire::Bytes section : sections) {
    const std::uint16_t source = static_cast<std::uint16_t>(section[3] << 8 | section[4]);
    if (const auto* events = decoder.decode_eit(section, {.service = {0, 1, source}})) store->apply(*events);
  }
  return decoder.counters().events;
}

std::uint64_t run_memcpy(wire::Bytes bytes) {
  static std::vector<std::uint8_t> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy.back();
}

#ifdef RECEIVERD_BENCH_DVBPSI
void count_events(void* counter, dvbpsi_atsc_eit_t* eit) {
  for (const auto* event = eit->p_first_event; event != nullptr; event = event->p_next) {
    ++*static_cast<std::uint64_t*>(counter);
  }
  dvbpsi_atsc_DeleteEIT(eit);
}

void attach(dvbpsi_t* decoder, std::uint8_t table_id, std::uint16_t extension, void* counter) {
  dvbpsi_atsc_AttachEIT(decoder, table_id, extension, count_events, counter);
}

std::uint64_t run_dvbpsi(std::vector<std::vector<std::uint8_t>>& streams) {
  std::uint64_t events = 0;
  for (std::vector<std::uint8_t>& packets : streams) {
    dvbpsi_t* const decoder = dvbpsi_new(nullptr, DVBPSI_MSG_NONE);
    dvbpsi_AttachDemux(decoder, attach, &events);
    for (std::size_t at = 0; at < packets.size(); at += dvb::kPacketSize) {
      dvbpsi_packet_push(decoder, packets.data() + at);
    }
    dvbpsi_DetachDemux(decoder);
    dvbpsi_delete(decoder);
  }
  return events;
}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const int milliseconds = std::atoi(arguments[2]);
  const std::vector<wire::Bytes> sections = sections_of(bytes);
  if (sections.empty()) return 1;
  std::printf("[");
  bench::measure("receiverd", milliseconds, "", [&] { return run_receiverd(sections); });
  bench::measure("memcpy", milliseconds, ",", [&] { return run_memcpy(bytes); });
#ifdef RECEIVERD_BENCH_DVBPSI
  std::vector<std::vector<std::uint8_t>> streams;
  for (const wire::Bytes section : sections) dvb::SectionPacketizer(0x1D00).write(section, streams.emplace_back());
  bench::measure("libdvbpsi", milliseconds, ",", [&] { return run_dvbpsi(streams); });
#endif
  std::printf("]\n");
  return 0;
}
