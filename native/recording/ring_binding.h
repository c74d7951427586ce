// The JavaScript interface of the ring behind timeshift; the typed side is src/timeshift/ring.ts.
#pragma once

#include <napi.h>

namespace receiverd::recording {

/// Adds the class `Ring` to the addon's exports.
void register_ring_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::recording
