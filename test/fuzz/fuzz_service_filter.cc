// Any bytes as a multiplex through packet reader, demux, PSI cache, service filter and one reader.
//
// The reader must get only whole packets, and their PAT must list one program.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "dvb/multiplex/multiplex.h"
#include "dvb/multiplex/service_filter.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/si/tables.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

struct Nobody : MultiplexObserver {
  void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>&) override {}
  void broadcast_time(const BroadcastTime&) override {}
  void eit_section(wire::Bytes, const epg::SiRules&) override {}
};

struct OneProgramme : SectionHandler {
  void section(wire::Bytes section, std::uint16_t) override {
    Pat pat;
    if (append_section(section, pat) && pat.programs.size() > 1) std::abort();
  }
};

}  // namespace

// The first byte: the low three bits select the service id, bit 7 requests ECMs, bit 6 joins late.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::uint8_t choice = data[0];
  const wire::Bytes bytes(data + 1, size - 1);
  SteadyTime now{};
  Demux demux;
  Nobody observer;
  const Multiplex multiplex(demux, observer);
  PacketReader reader;
  const std::uint16_t services[] = {1, 1031, 3401, 3402, 3405, 3410, 4001, 0};
  ServiceFilter filter(demux, services[choice & 7], (choice & 0x80) != 0);
  const auto queue = std::make_shared<StreamQueue>(1 << 20, [] {});
  if ((choice & 0x40) == 0) filter.add_reader(queue, now);

  Demux out;
  OneProgramme one_programme;
  out.add_handler(pid::kPat, one_programme);
  for (std::size_t at = 0; at < bytes.size(); at += 4096) {
    reader.feed(bytes.subspan(at, bytes.size() - at < 4096 ? bytes.size() - at : 4096));
    for (wire::Bytes run; !(run = reader.next()).empty();) {
      for (; run.size() >= kPacketSize; run = run.subspan(kPacketSize)) {
        demux.feed(run.first(kPacketSize));
        filter.packet(Packet(run.data()));
      }
    }
    if ((choice & 0x40) != 0 && at == 0) {
      multiplex.visit_psi(services[choice & 7],
                          [&](wire::Bytes section, std::uint16_t pid) { filter.prime(section, pid); });
      filter.add_reader(queue, now);
    }
    now += std::chrono::milliseconds(200);
    filter.tick(now);
    for (Chunk chunk; queue->read(chunk) == StreamQueue::Read::chunk;) {
      if (chunk.size % kPacketSize != 0 || chunk.size > chunk.capacity) std::abort();
      for (std::size_t packet = 0; packet < chunk.size; packet += kPacketSize) {
        if (chunk.bytes[packet] != kSyncByte) std::abort();
      }
      out.feed({chunk.bytes.get(), chunk.size});
    }
  }
  out.remove_handler(pid::kPat, one_programme);
  return 0;
}
