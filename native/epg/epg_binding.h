// The guide for JavaScript: one native object that owns the store and the way into it. dvb_binding.cc takes the Ingest
// out of it to connect a tuner.
#pragma once

#include <napi.h>

#include <memory>

namespace receiverd::epg {

class Ingest;

/// Adds the class `Guide` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

/// The Ingest of a JavaScript `Guide` object; throws a JavaScript TypeError when `value` is something else.
/// The reference keeps the guide alive as long as a tuner feeds it.
std::shared_ptr<Ingest> ingest_of(Napi::Value value);

}  // namespace receiverd::epg
