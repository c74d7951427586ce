// What addon.cc registers of each folder: a function that adds its classes and functions to the addon's exports.
// native/addon.d.ts declares them.
#pragma once

#include <napi.h>

namespace receiverd {

namespace epg {
void register_binding(Napi::Env env, Napi::Object exports);
}
namespace lettering {
void register_binding(Napi::Env env, Napi::Object exports);
}
namespace m3u {
void register_binding(Napi::Env env, Napi::Object exports);
}
namespace satip {
void register_rtp_binding(Napi::Env env, Napi::Object exports);
}
namespace storage {
void register_binding(Napi::Env env, Napi::Object exports);
}
namespace xmltv {
void register_binding(Napi::Env env, Napi::Object exports);
}

}  // namespace receiverd
