// The functions that addon.cc calls at load time. Each adds the classes and functions of its folder to the addon's
// exports, which native/addon.d.ts declares.
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
