// The tuner kind `hdhomerun` for JavaScript.
#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::hdhomerun {

/// Tuner kind `hdhomerun`: see TunerSpec in native/addon.d.ts.
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

}  // namespace receiverd::hdhomerun
