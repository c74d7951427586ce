#pragma once

#include <napi.h>

namespace receiverd::dvb {

void register_video_format_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::dvb
