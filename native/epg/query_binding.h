// Converts JavaScript values to guide queries and service keys.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "epg/query.h"

namespace receiverd::epg {

/// Converts a GuideQuery of src/epg/query.ts; `text` is an array, `services` are packed. Throws a JavaScript error if a
/// field has another type than declared there.
inline std::string text_of(const Napi::Value& value) { return value.As<Napi::String>().Utf8Value(); }

Query query_of(const Napi::Object& object);

/// Packed service keys: three 16-bit numbers each, original network, transport stream, service.
std::vector<ServiceKey> services_of(const Napi::Value& value);

std::vector<Language> languages_of(const Napi::Value& value);

}  // namespace receiverd::epg
