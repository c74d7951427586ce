// The JavaScript API of native/m3u; src/m3u/playlist.ts wraps it with types.
#pragma once

#include <napi.h>

namespace receiverd::m3u {

/// Adds `m3u` to the addon's exports: `channels` runs on a worker thread, `stream` and `recording` synchronously.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::m3u
