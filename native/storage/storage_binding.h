// The JavaScript API for locks; the logic is in file_lock.
#pragma once

#include <napi.h>

namespace receiverd::storage {

/// Adds the class `FileLock` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::storage
