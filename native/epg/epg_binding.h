// The guide's JavaScript API: one native object that owns the store and the Ingest that feeds it (epg_binding.cc), and
// lists of events (responses_binding.cc, for src/epg/event-response.ts). dvb/dvb_binding.cc takes the Ingest to connect
// a tuner. native/addon.d.ts declares the values.
#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "epg/event/event.h"
#include "epg/event/local_times.h"

namespace receiverd::epg {

class Ingest;
struct Query;

/// The classes and functions of responses_binding.cc.
void register_responses(Napi::Env env, Napi::Object exports);

/// The Ingest of a JavaScript `Guide` object. Throws a JavaScript TypeError if `value` is anything else. The reference
/// keeps the guide alive while a tuner feeds it.
std::shared_ptr<Ingest> ingest_of(const Napi::Value& value);

/// The query of a `GuideQuery` (src/epg/query.ts). Throws a JavaScript TypeError for a value of the wrong type.
Query query_of(const Napi::Object& object);

/// From pairs of a time and an offset (src/base/local-time.ts).
LocalTimes local_times_of(const Napi::Value& value);

/// Packed service keys: three 16-bit numbers each, original network, transport stream, service.
std::vector<DvbTriplet> services_of(const Napi::Value& value);

/// The languages of an array of codes; empty if `value` is no array. Throws a JavaScript TypeError for a code without
/// three letters.
std::vector<Language> languages_of(const Napi::Value& value);

}  // namespace receiverd::epg
