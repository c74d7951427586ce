// The JavaScript interface of native/recording.
#pragma once

#include <napi.h>

namespace receiverd::recording {

/// Adds the classes `Recording`, `FileIndex` and `Ring` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::recording
