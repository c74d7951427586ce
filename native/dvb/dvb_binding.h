// What JavaScript sees of native/dvb; the typed side is src/dvb/tuner.ts.
#pragma once

#include <napi.h>

namespace receiverd::dvb {

/// Adds the class `Tuner` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::dvb
