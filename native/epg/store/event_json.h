// The guide as JSON text, for the receiver's own code. An event is
//   {"service":{"originalNetworkId","transportStreamId","serviceId"},"id","start","duration","title","shortText",
//    "extendedText","language","genres":[{"level1","level2","user"}],"parental":[{"country","rating"}],"runningStatus",
//    "freeCa","components":[{"streamContent","componentType","componentTag","language","text"}],
//    "crids":[{"type","crid"}]}
#pragma once

#include <string>

#include "epg/store/store.h"
#include "wire/json_writer.h"

namespace receiverd::epg {

/// Writes one event.
void write_event(wire::JsonWriter& json, const EventView& event);

/// [{"service","events"}] for every service.
std::string service_list(const Store& store);

}  // namespace receiverd::epg
