// The JavaScript API for lists of events; src/epg/event-list.ts wraps it with types.
#pragma once

#include <napi.h>

namespace receiverd::epg {

/// Adds the classes `ServiceList`, `EventTemplate`, `EventListFrame` and `LocalTimes`, and the functions `beginEvents`,
/// `beginEventsOnWorker`, `countEvents` and `findListed`, to the addon's exports. Occupies the addon's instance data.
void register_event_list_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::epg
