// Sections of PSIP: each into every reader, and as a multiplex with them into a store, which must stay consistent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "dvb/multiplex/multiplex.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/atsc_tables.h"
#include "epg/atsc/multiple_string.h"
#include "epg/atsc/psip_decoder.h"
#include "epg/ingest/ingest.h"
#include "epg/store/event_json.h"
#include "epg/store/store.h"
#include "epg/text/utf8.h"

namespace {

using namespace receiverd;
using namespace receiverd::dvb;

void check(bool holds) {
  if (!holds) std::abort();
}

/// Takes the guide's sections without a thread of its own.
class Guide final : public MultiplexObserver {
 public:
  void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& snapshot) override {
    for (const Service& service : snapshot->services) {
      check(epg::valid_utf8(service.name) && (service.text == nullptr || epg::valid_utf8(*service.text)));
    }
  }
  void broadcast_time(const BroadcastTime&) override {}
  void eit_section(wire::Bytes, const epg::SiRules&) override {}
  void psip_section(wire::Bytes section, const epg::PsipOrigin& origin) override {
    epg::fingerprint_of(section, origin);
    decoder.take_rrt(section);
    if (const epg::EitSection* text = decoder.decode_ett(section, origin)) {
      check(epg::valid_utf8(text->events[0].extended_text));
      store.apply(*text);
    }
    if (const epg::EitSection* events = decoder.decode_eit(section, origin)) store.apply(*events);
  }

  epg::PsipDecoder decoder;
  epg::Store store{{.max_events = 50, .max_services = 5, .max_text_bytes = 20000}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(epg::valid_utf8(epg::decode_multiple_string({data, size})));
  Guide guide;
  Demux demux;
  Multiplex multiplex(demux, guide);
  SectionPacketizer psip(pid::kPsip);
  SectionPacketizer events(0x1D00);
  for (wire::Bytes left(data, size); left.size() >= kLongSectionHeaderSize + kCrcSize;) {
    const std::size_t length = std::min(section_size(left), left.size());
    if (length < kLongSectionHeaderSize + kCrcSize) break;
    Section section(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(length));
    left = left.subspan(length);
    section[1] = static_cast<std::uint8_t>((section[1] & 0xF0) | (length - kSectionHeaderSize) >> 8);
    section[2] = static_cast<std::uint8_t>(length - kSectionHeaderSize);
    write_crc(section);
    Mgt mgt;
    append_section(section, mgt);
    Vct vct;
    append_section(section, vct);
    read_stt(section);
    guide.psip_section(section, {});
    std::vector<std::uint8_t> packets;
    psip.write(section, packets);
    events.write(section, packets);
    demux.feed(packets);
    multiplex.publish();
  }
  const epg::Store::Reader reader = guide.store.read();
  std::size_t stored = 0;
  reader.each_service([&](const DvbTriplet&, const epg::Timeline& timeline) {
    stored += timeline.size();
    for (std::size_t i = 0; i < timeline.size(); ++i) {
      wire::JsonWriter json;
      epg::write_event(json, reader.view(timeline[i]));
      check(epg::valid_utf8(json.take()));
    }
  });
  check(stored == reader.events() && stored <= 50);
  return 0;
}
