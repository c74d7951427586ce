// What ISDB adds to the tables: any bytes as sections of a NIT, an EIT, a TOT and a CDT, under the rules of Japan and
// of Brazil, and as a stream of sections into a multiplex.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "dvb/multiplex/snapshot_builder.h"
#include "dvb/si/si_tables.h"
#include "epg/arib/arib_logo.h"
#include "epg/arib/arib_services.h"
#include "epg/arib/si_rules.h"
#include "epg/eit/eit_decoder.h"
#include "epg/store/event_json.h"
#include "epg/store/store.h"
#include "epg/text/utf8.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd;
  using namespace receiverd::epg;
  const wire::Bytes bytes(data, size);
  rules_of_nit(bytes, 4);
  rules_of_eit(bytes);
  if (may_be_local_time(bytes)) zone_of_tot(bytes);
  read_logo_id(bytes);
  if (const auto logo = read_logo(bytes)) check(!is_logo_picture(logo->png) || logo->png.size() <= kMaxLogoBytes);
  is_logo_picture(bytes);

  for (const SiRules& rules : {kJapan, kBrazil}) {
    const AribStream stream = read_arib_stream(bytes, rules);
    check(valid_utf8(stream.name));
    arib_channel_number({4, 4, static_cast<std::uint16_t>(size)}, stream.remote_control_key, rules);
    EitDecoder decoder;
    Store store({.max_events = 50, .max_services = 5, .max_text_bytes = 20000});
    for (wire::Bytes left = bytes; !left.empty();) {
      if (EitSection* section = decoder.decode(left, rules)) {
        store.share(*section);
        store.apply(*section);
      }
      const std::size_t length = left.size() < 3 ? left.size() : 3U + (((left[1] & 0x0FU) << 8) | left[2]);
      left = left.subspan(std::min(length, left.size()));
    }
    const Store::Reader reader = store.read();
    reader.each_service([&](const DvbTriplet&, const Timeline& timeline) {
      for (std::size_t i = 0; i < timeline.size(); ++i) {
        wire::JsonWriter json;
        write_event(json, reader.view(timeline[i]));
        check(valid_utf8(json.take()));
      }
    });
  }

  dvb::SiTables tables;
  tables.rules = kJapan;
  dvb::SnapshotBuilder builder;
  for (wire::Bytes left = bytes; left.size() >= 3;) {
    const std::size_t length = std::min(dvb::section_size(left), left.size());
    for (const std::uint16_t pid : {dvb::pid::kNit, dvb::pid::kSdtBat, dvb::pid::kBit, dvb::pid::kCdt}) {
      dvb::add_section(tables, left.first(length), pid);
    }
    left = left.subspan(length);
  }
  for (const dvb::Service& service : builder.build(tables).services) {
    check(valid_utf8(service.name) && valid_utf8(service.provider));
    check(service.logical_channel_number <= 999);
  }
  return 0;
}
