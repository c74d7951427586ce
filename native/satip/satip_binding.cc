#include "satip/satip_binding.h"

#include <memory>

#include "node/values.h"
#include "rtp/multicast_source.h"
#include "rtp/session_source.h"
#include "satip/session.h"

namespace receiverd::satip {

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& /*options*/) {
  const auto values = specification.Get("traits").As<Napi::Object>();
  const auto is_set = [&](const char* name) { return values.Get(name).ToBoolean().Value(); };
  ServerTraits traits;
  const bool tcp = node::text_of(specification.Get("transport")) == "tcp";
  node::take_number(values, "maxPids", traits.max_pids);
  traits.supports_all_pids = is_set("supportsAllPids");
  traits.supports_add_pids = is_set("supportsAddPids");
  traits.needs_new_session = is_set("needsNewSession");
  traits.assumes_lock = is_set("assumesLock");
  traits.trims_session = is_set("trimsSession");
  traits.setup_pids = node::text_of(values.Get("setupPids"));
  return [=] { return std::make_unique<rtp::SessionSource>(std::make_unique<Session>(traits, tcp)); };
}

dvb::Tuner::SourceFactory multicast_source_factory(const Napi::Object& specification, dvb::Tuner::Options& options) {
  rtp::MulticastOptions multicast;
  multicast.group = node::text_of(specification.Get("group"));
  node::take_number(specification, "port", multicast.port);
  multicast.sender = node::text_of(specification.Get("sender"));
  multicast.interface = node::text_of(specification.Get("interface"));
  options.routes_guide = true;
  options.follows_only_program = true;
  options.keeps_beginning = true;
  return [multicast] { return std::make_unique<rtp::MulticastSource>(multicast); };
}

}  // namespace receiverd::satip
