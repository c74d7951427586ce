// Front ends of the Linux DVB API for JavaScript; native/addon.d.ts declares them.
#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::frontend {

/// Tuner kind `dvb`: { adapter, frontend }.
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

/// Adds `frontEnds` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::frontend
