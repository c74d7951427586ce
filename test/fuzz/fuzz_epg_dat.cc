// epg.dat: any bytes must either change nothing or yield a consistent store with valid texts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../native/memory_source.h"
#include "epg/files/epg_dat.h"
#include "epg/store/event_json.h"
#include "epg/text/utf8.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::epg;
  Store store({.max_events = 50, .max_services = 5, .max_text_bytes = 20000});
  const EpgDatImport result = import_epg_dat(store, {}, receiverd::MemorySource({data, size}), 0);
  const Store::Reader reader = store.read();
  check(result.problem.empty() || reader.events() == 0);
  check(reader.events() <= 50 && reader.services() <= 5);
  std::size_t events = 0;
  reader.each_service([&](const DvbTriplet&, const Timeline& timeline) {
    timeline.window(0, receiverd::wire::UnixSeconds{1} << 40, [&](const EventRecord& event) {
      ++events;
      receiverd::wire::JsonWriter json;
      write_event(json, reader.view(event));
      check(valid_utf8(json.take()));
    });
  });
  check(events <= result.events);
  return 0;
}
