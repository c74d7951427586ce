// The tuner kinds `satip` and `multicast` for JavaScript.
#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::satip {

/// Tuner kind `satip`: see TunerSpec in native/addon.d.ts.
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

/// Tuner kind `multicast`: see TunerSpec in native/addon.d.ts.
dvb::Tuner::SourceFactory multicast_source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

}  // namespace receiverd::satip
