// The guide's JavaScript API: one native object that owns the store and the Ingest that feeds it. dvb_binding.cc takes
// the Ingest from it to connect a tuner.
#pragma once

#include <napi.h>

#include <memory>

namespace receiverd::epg {

class Ingest;

/// Adds the class `Guide` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

/// The Ingest of a JavaScript `Guide` object. Throws a JavaScript TypeError if `value` is anything else. The reference
/// keeps the guide alive while a tuner feeds it.
std::shared_ptr<Ingest> ingest_of(const Napi::Value& value);

}  // namespace receiverd::epg
