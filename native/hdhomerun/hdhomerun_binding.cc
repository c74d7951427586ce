#include "hdhomerun/hdhomerun_binding.h"

#include <memory>

#include "hdhomerun/control.h"
#include "node/values.h"
#include "rtp/session_source.h"

namespace receiverd::hdhomerun {

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& /*options*/) {
  std::uint32_t tuner = 0;
  std::uint32_t lock_key = 1;
  node::take_number(specification, "tuner", tuner);
  node::take_number(specification, "lockKey", lock_key);
  return [=] { return std::make_unique<rtp::SessionSource>(std::make_unique<ControlSession>(tuner, lock_key)); };
}

}  // namespace receiverd::hdhomerun
