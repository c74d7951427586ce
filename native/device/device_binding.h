// The virtual keyboard and systemd notifications for JavaScript; the logic is in key_device and service_manager.
#pragma once

#include <napi.h>

namespace receiverd::device {

/// Adds the class `KeyDevice` and `notify` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::device
