// Guide look-ups by time and id, for one service or many at once, as JSON text. The result has `null` where a service
// has no such event. Each function takes the store's reading lock for one service at a time, so that writers get in
// between the services of a long result.
//
// An event is
//   {"service":{"originalNetworkId","transportStreamId","serviceId"},"id","start","duration","title","shortText",
//    "extendedText","language","genres":[{"level1","level2","user"}],"parental":[{"country","rating"}],"runningStatus",
//    "freeCa","components":[{"streamContent","componentType","componentTag","language","text"}],
//    "crids":[{"type","crid"}]}
#pragma once

#include <span>
#include <string>

#include "epg/ingest.h"
#include "epg/store.h"
#include "wire/json_writer.h"

namespace receiverd::epg {

using Services = std::span<const ServiceKey>;

/// [{"now","next"}], one per service in the order given.
std::string now_next(const Store& store, Services services, wire::UnixSeconds time);
/// [event | null], one per service: see Timeline::at, before, after.
std::string running_at(const Store& store, Services services, wire::UnixSeconds time, bool end_inclusive);
std::string last_before(const Store& store, Services services, wire::UnixSeconds time);
std::string first_after(const Store& store, Services services, wire::UnixSeconds time);
/// [event]: those running at `from` or beginning later, and beginning before `until`; service by service.
std::string in_window(const Store& store, Services services, wire::UnixSeconds from, wire::UnixSeconds until);
/// [event | null]
std::string by_id(const Store& store, const ServiceKey& service, std::uint16_t id);
/// [{"service","events"}] for every service.
std::string service_list(const Store& store);
/// Counters of store, decoder and ingest.
std::string statistics(const Ingest& ingest);

/// Writes one event.
void write_event(wire::JsonWriter& json, const EventView& event);

}  // namespace receiverd::epg
