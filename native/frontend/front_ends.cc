#include "frontend/front_ends.h"

#include <linux/dvb/frontend.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "frontend/properties.h"
#include "wire/json_writer.h"

namespace receiverd::frontend {

namespace {

constexpr std::string_view kRoot = "/dev/dvb";

/// The number after `kind` in a file name.
std::optional<unsigned> number_of(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind)) return std::nullopt;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data() + kind.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

/// The name of a delivery system in src/dvb/; empty for systems that service lists cannot contain.
std::string_view name_of(std::uint8_t system) {
  switch (system) {
    case SYS_DVBS:
      return "DVB-S";
    case SYS_DVBS2:
      return "DVB-S2";
    case SYS_DVBT:
      return "DVB-T";
    case SYS_DVBT2:
      return "DVB-T2";
    case SYS_DVBC_ANNEX_A:
      return "DVB-C";
    case SYS_DVBC_ANNEX_C:
      return "DVB-C annex C";
    case SYS_DVBC_ANNEX_B:
      return "DVB-C annex B";
    case kDvbC2:
      return "DVB-C2";
    case SYS_ATSC:
      return "ATSC";
    case SYS_ISDBT:
      return "ISDB-T";
    default:
      return {};
  }
}

}  // namespace

std::vector<FoundFrontEnd> find_front_ends(System& system) {
  std::vector<FoundFrontEnd> found;
  for (const std::string& folder : system.list(std::string(kRoot))) {
    const auto adapter = number_of(folder, "adapter");
    if (!adapter) continue;
    const std::string path = std::string(kRoot) + '/' + folder + '/';
    const std::vector<std::string> names = system.list(path);
    const auto has = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
    const auto front_ends =
        std::ranges::count_if(names, [](const auto& name) { return number_of(name, "frontend").has_value(); });
    for (const std::string& name : names) {
      const auto number = number_of(name, "frontend");
      if (!number) continue;
      FoundFrontEnd one = {.adapter = *adapter, .number = *number, .capabilities = {}, .error = {}};
      one.shared = front_ends > 1 && !has("demux1");
      FrontEnd front_end(system, path + name, System::Access::read);
      if (front_end.error() == 0) one.capabilities = front_end.capabilities();
      if (!one.capabilities) one.error = front_end.reason();
      found.push_back(std::move(one));
    }
  }
  std::ranges::sort(found, {}, [](const auto& one) { return std::pair(one.adapter, one.number); });
  return found;
}

std::string front_ends_json(const std::vector<FoundFrontEnd>& found) {
  wire::JsonWriter json;
  json.begin_array();
  for (const FoundFrontEnd& one : found) {
    json.begin_object().member("adapter", one.adapter).member("frontend", one.number).member("shared", one.shared);
    json.member("trouble", std::string_view(one.error));
    const Capabilities none;
    const Capabilities& capabilities = one.capabilities ? *one.capabilities : none;
    json.member("name", std::string_view(capabilities.name));
    json.key("systems").begin_array();
    for (const std::uint8_t system : capabilities.systems) {
      if (const auto name = name_of(system); !name.empty()) json.value(name);
    }
    json.end_array().end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace receiverd::frontend
