// Lists the services of a transport stream from standard input: list_services <stream.ts
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include "dvb/multiplex/demux.h"
#include "dvb/multiplex/multiplex.h"
#include "dvb/packets/packet_reader.h"

namespace dvb = receiverd::dvb;
namespace wire = receiverd::wire;

namespace {

/// Keeps the newest picture of the multiplex.
class Picture final : public dvb::MultiplexObserver {
 public:
  void multiplex_changed(const std::shared_ptr<const dvb::MultiplexSnapshot>& snapshot) override { newest = snapshot; }
  void broadcast_time(const dvb::BroadcastTime& /*time*/) override {}
  void eit_section(wire::Bytes /*section*/, const receiverd::epg::SiRules& /*rules*/) override {}

  std::shared_ptr<const dvb::MultiplexSnapshot> newest = std::make_shared<const dvb::MultiplexSnapshot>();
};

}  // namespace

int main() {
  Picture picture;
  dvb::PacketReader reader;
  dvb::Demux demux;
  dvb::Multiplex multiplex(demux, picture);
  std::vector<std::uint8_t> chunk(256 * dvb::kPacketSize);
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
    reader.feed({chunk.data(), size});
    for (wire::Bytes packets; !(packets = reader.next()).empty();) demux.feed(packets);
    multiplex.publish();
  }
  for (const dvb::Service& service : picture.newest->services) {
    std::cout << service.triplet.service_id << ' ' << service.name << '\n';
  }
  return picture.newest->services.empty() ? 1 : 0;
}
