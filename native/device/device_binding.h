// Keys for JavaScript; the logic is in key_device.
#pragma once

#include <napi.h>

namespace receiverd::device {

/// Adds the class `KeyDevice` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::device
