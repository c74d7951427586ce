// EIT sections: any bytes, several sections in sequence into one store, must leave it consistent. The first event of
// them is read as an `.eit` file too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "epg/eit/eit_decoder.h"
#include "epg/files/event_file.h"
#include "epg/ingest/ingest.h"
#include "epg/search/search.h"
#include "epg/store/event_json.h"
#include "epg/store/store.h"
#include "epg/text/utf8.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::epg;
  EitDecoder decoder;
  // After the header of a section (EN 300 468 §5.2.4).
  const receiverd::wire::Bytes file(data + std::min<std::size_t>(size, 14), data + size);
  check(valid_utf8(event_file_json(file, {})));
  Store store({.max_events = 50, .max_services = 5, .max_text_bytes = 20000});
  for (receiverd::wire::Bytes left(data, size); !left.empty();) {
    SectionFilter filter;
    if (const auto fingerprint = fingerprint_of(left)) filter.note(*fingerprint);
    if (const EitSection* section = decoder.decode(left)) store.apply(*section);
    const std::size_t length = left.size() < 3 ? left.size() : 3U + (((left[1] & 0x0FU) << 8) | left[2]);
    left = left.subspan(std::min(length, left.size()));
  }
  {
    const Store::Reader reader = store.read();
    std::size_t events = 0;
    std::size_t shown = 0;
    reader.each_service([&](const DvbTriplet&, const Timeline& timeline) {
      events += timeline.size();
      std::uint32_t last = 0;
      for (std::size_t i = 0; i < timeline.size(); ++i) {
        const EventRecord& event = timeline[i];
        check(event.start >= last);
        if (event.shadowed == 0) ++shown;
        last = event.start;
        receiverd::wire::JsonWriter json;
        write_event(json, reader.view(event));
        check(valid_utf8(json.take()));
      }
    });
    check(events == reader.events() && events <= 50 && reader.services() <= 5);
    check(find_events(reader, Query{}).total == shown);
    Query letter;
    letter.texts = {"e"};
    letter.within = scope::kTitle | scope::kShort | scope::kLong;
    check(find_events(reader, letter).total <= shown);
  }
  store.expire(receiverd::wire::UnixSeconds{1} << 40);
  const Store::Reader reader = store.read();
  check(reader.events() == 0);
  for (const TextKind kind : {TextKind::title, TextKind::short_text, TextKind::long_text}) {
    check(reader.programmes().texts(kind).size() == 0);
  }
  return 0;
}
