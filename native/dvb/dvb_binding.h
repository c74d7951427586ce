// The JavaScript interface of native/dvb; the typed side is src/dvb/tuner.ts.
#pragma once

#include <napi.h>

#include <string>

#include "dvb/tuner.h"

namespace receiverd::dvb {

/// Adds the class `Tuner` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

/// The tuner of a JavaScript `Tuner`. @throws TypeError
Tuner& tuner_of(const Napi::Value& value);

/// The name of `end` in JavaScript.
std::string end_text(StreamEnd end);

}  // namespace receiverd::dvb
