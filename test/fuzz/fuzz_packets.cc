// Received bytes to packets, sections and the multiplex state. The first byte selects the chunk size.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "dvb/multiplex/multiplex.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/si/eit_section.h"

namespace {

class Observer final : public receiverd::dvb::MultiplexObserver {
 public:
  void multiplex_changed(const std::shared_ptr<const receiverd::dvb::MultiplexSnapshot>& /*snapshot*/) override {}
  void broadcast_time(const receiverd::dvb::BroadcastTime& /*time*/) override {}
  void eit_section(receiverd::wire::Bytes section, const receiverd::epg::SiRules&) override {
    if (!receiverd::dvb::read_eit_section_header(section)) std::abort();
    receiverd::dvb::read_eit_events(section);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd;
  using namespace receiverd::dvb;
  if (size == 0) return 0;
  const std::size_t chunk_size = std::size_t{data[0]} * 16 + 1;
  wire::Bytes bytes(data + 1, size - 1);
  Observer observer;
  PacketReader reader;
  Demux demux;
  Multiplex multiplex(demux, observer);
  std::uint64_t packets = 0;
  while (!bytes.empty()) {
    const wire::Bytes chunk = bytes.first(std::min(chunk_size, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    reader.feed(chunk);
    for (wire::Bytes run; !(run = reader.next()).empty();) {
      packets += run.size() / kPacketSize;
      demux.feed(run);
    }
    multiplex.publish();
  }
  // Every byte is in a packet, skipped, or waiting for the rest of its packet.
  if (packets != reader.counters().packets || packets != demux.totals().packets) std::abort();
  if (packets * kPacketSize + reader.counters().skipped_bytes > size) std::abort();
  return 0;
}
