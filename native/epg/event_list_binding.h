// Lists of events for JavaScript: src/epg/event-list.ts is the typed face of it.
#pragma once

#include <napi.h>

namespace receiverd::epg {

/// Adds the classes `ServiceList`, `EventTemplate` and `EventListReader`, and the function `findListed`, to the addon's
/// exports.
void register_event_list_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::epg
