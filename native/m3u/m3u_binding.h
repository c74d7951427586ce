// What JavaScript sees of native/m3u; the typed side is src/m3u/playlist.ts.
#pragma once

#include <napi.h>

namespace receiverd::m3u {

/// Puts `m3u` into the addon's exports: `channels` on a worker thread, `stream` and `recording` at once.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::m3u
