#pragma once

#include <napi.h>

namespace receiverd::lettering {

void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::lettering
