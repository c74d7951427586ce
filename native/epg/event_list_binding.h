// Lists of events for JavaScript: src/epg/event-list.ts is the typed face of it.
#pragma once

#include <napi.h>

namespace receiverd::epg {

/// Adds the classes `ServiceList`, `EventTemplate`, `EventListFrame` and `LocalTimes`, and the functions `beginEvents`,
/// `beginEventsOnWorker`, `countEvents` and `findListed`, to the addon's exports. Takes the addon's instance data.
void register_event_list_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::epg
