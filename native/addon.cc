// The entry point of the addon: registers the bindings (*_binding.cc) of all folders, and lists the kinds of tuners.

#include <napi.h>

#include <vector>

#include "device/device_binding.h"
#ifdef RECEIVERD_DEMO
#include "demo/demo_binding.h"
#endif
#include "dvb/dvb_binding.h"
#include "dvb/fast_scan_binding.h"
#include "dvb/si/video_format_binding.h"
#include "frontend/frontend_binding.h"
#include "hdhomerun/hdhomerun_binding.h"
#include "node/bindings.h"
#include "recording/recording_binding.h"
#include "satip/satip_binding.h"
#include "storage/freed_memory.h"

namespace receiverd {

const std::vector<dvb::SourceKind> kSourceKinds = {
    {"dvb", frontend::source_factory},  {"file", dvb::file_source_factory},
    {"satip", satip::source_factory},   {"hdhomerun", hdhomerun::source_factory},
    {"pipe", dvb::pipe_source_factory}, {"multicast", satip::multicast_source_factory},
#ifdef RECEIVERD_DEMO
    {"demo", demo::source_factory},
#endif
};

Napi::Object register_bindings(Napi::Env env, Napi::Object exports) {
  device::register_binding(env, exports);
  dvb::register_binding(env, exports, kSourceKinds);
  dvb::register_fast_scan_binding(env, exports);
  dvb::register_video_format_binding(env, exports);
  epg::register_binding(env, exports);
  frontend::register_binding(env, exports);
  lettering::register_binding(env, exports);
  m3u::register_binding(env, exports);
  recording::register_binding(env, exports);
  satip::register_rtp_binding(env, exports);
  xmltv::register_binding(env, exports);
  storage::register_binding(env, exports);
  return exports;
}

}  // namespace receiverd

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  receiverd::storage::return_large_buffers();
  return receiverd::register_bindings(env, exports);
}

NODE_API_MODULE(receiverd, initialise)
