// What JavaScript sees of native/recording; the typed side is src/recordings/stream-writer.ts.
#pragma once

#include <napi.h>

namespace receiverd::recording {

/// Adds the class `Recording` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::recording
