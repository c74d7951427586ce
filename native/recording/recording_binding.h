// The JavaScript interface of native/recording; the typed side is src/recordings/stream-recording.ts.
#pragma once

#include <napi.h>

#include "recording/recording.h"

namespace receiverd::recording {

/// Adds the class `Recording` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

/// The recording of a JavaScript `Recording`. @throws TypeError
/// Counts of bytes and packets stay below 2^53.
inline Napi::Value number(Napi::Env env, std::uint64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

Recording& recording_of(const Napi::Value& value);

}  // namespace receiverd::recording
