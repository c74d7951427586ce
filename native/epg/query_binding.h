// Converts JavaScript values to guide queries and service keys. native/addon.d.ts declares them.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "epg/event/query.h"
#include "node/values.h"

namespace receiverd::epg {

/// Throws a JavaScript error if a field has another type than declared.
Query query_of(const Napi::Object& object);

/// Packed service keys: three 16-bit numbers each, original network, transport stream, service.
std::vector<ServiceKey> services_of(const Napi::Value& value);

ServiceKey service_of(const Napi::Value& value);

std::vector<Language> languages_of(const Napi::Value& value);

}  // namespace receiverd::epg
