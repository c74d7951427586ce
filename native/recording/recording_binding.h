// The JavaScript interface of native/recording; the typed side is src/recordings/stream-recording.ts.
#pragma once

#include <napi.h>

#include "recording/recording.h"

namespace receiverd::recording {

/// Adds the class `Recording` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

/// The recording of a JavaScript `Recording`. @throws TypeError
Recording& recording_of(const Napi::Value& value);

}  // namespace receiverd::recording
