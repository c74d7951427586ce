#pragma once

#include <napi.h>

namespace receiverd::dvb::demo {

void register_caption_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::dvb::demo
