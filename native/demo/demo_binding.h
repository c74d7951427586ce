#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::demo {

/// Tuner kind `demo`: { speed, start, assets }.
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

}  // namespace receiverd::demo
