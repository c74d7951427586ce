#pragma once

#include <napi.h>

namespace receiverd::dvb {

void register_fast_scan_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::dvb
