#include "dvb/tuner_json.h"

#include <array>
#include <string_view>

#include "dvb/si/delivery_system.h"
#include "wire/json_writer.h"

namespace receiverd::dvb {

namespace {

using wire::JsonWriter;

/// The text for a code of EN 300 468; `otherwise` for reserved codes.
template <std::size_t kCount>
std::string_view text_of(const std::array<std::string_view, kCount>& texts, unsigned code,
                         std::string_view otherwise = "auto") {
  return code < kCount && !texts[code].empty() ? texts[code] : otherwise;
}

constexpr std::array<std::string_view, 4> kPolarisations = {"horizontal", "vertical", "left", "right"};
constexpr std::array<std::string_view, 4> kSatelliteModulations = {"auto", "qpsk", "8psk", "16qam"};
constexpr std::array<std::string_view, 6> kCableModulations = {"auto", "16qam", "32qam", "64qam", "128qam", "256qam"};
constexpr std::array<std::string_view, 16> kInnerFec = {"auto", "1/2",  "2/3", "3/4", "5/6", "7/8", "8/9", "3/5",
                                                        "4/5",  "9/10", "",    "",    "",    "",    "",    "none"};
constexpr std::array<std::string_view, 4> kConstellations = {"qpsk", "16qam", "64qam", ""};
constexpr std::array<std::string_view, 5> kCodeRates = {"1/2", "2/3", "3/4", "5/6", "7/8"};
constexpr std::array<std::string_view, 7> kGuardIntervals = {"1/32", "1/16", "1/8", "1/4", "1/128", "19/128", "19/256"};
constexpr std::array<std::string_view, 6> kTransmissionModes = {"2k", "8k", "4k", "1k", "16k", "32k"};
constexpr std::array<std::string_view, 4> kHierarchies = {"none", "1", "2", "4"};
constexpr std::array<std::uint32_t, 6> kBandwidths = {8'000'000, 7'000'000,  6'000'000,
                                                      5'000'000, 10'000'000, 1'712'000};
constexpr std::array<unsigned, 4> kRollOffs = {35, 25, 20, 35};

void write_delivery(JsonWriter& json, const DeliverySystem& system) {
  using Kind = DeliverySystem::Kind;
  json.begin_object();
  switch (system.kind) {
    case Kind::dvb_s:
    case Kind::dvb_s2:
      json.member("system", std::string_view("satellite"))
          .member("secondGeneration", system.kind == Kind::dvb_s2)
          .member("frequency", system.frequency / 1000)
          .member("orbitalPosition", system.orbital_position)
          .member("polarisation", text_of(kPolarisations, system.polarisation))
          .member("symbolRate", system.symbol_rate)
          .member("innerFec", text_of(kInnerFec, system.fec_inner))
          .member("modulation", text_of(kSatelliteModulations, system.modulation))
          .member("rollOff", kRollOffs[system.roll_off & 3])
          .member("inputStream", system.input_stream)
          .member("scramblingSequence", system.scrambling_sequence);
      break;
    case Kind::dvb_c:
      json.member("system", std::string_view("cable"))
          .member("frequency", system.frequency)
          .member("symbolRate", system.symbol_rate)
          .member("innerFec", text_of(kInnerFec, system.fec_inner))
          .member("modulation", text_of(kCableModulations, system.modulation));
      break;
    case Kind::dvb_t:
    case Kind::dvb_t2:
    case Kind::isdb_t:
      json.member("system", std::string_view("terrestrial"))
          .member("secondGeneration", system.kind == Kind::dvb_t2)
          .member("isdb", system.kind == Kind::isdb_t)
          .member("frequency", system.frequency)
          .member("bandwidth", system.bandwidth < kBandwidths.size() ? kBandwidths[system.bandwidth] : 8'000'000U)
          .member("constellation", text_of(kConstellations, system.modulation))
          .member("codeRateHigh", text_of(kCodeRates, system.code_rate_hp))
          .member("codeRateLow", text_of(kCodeRates, system.code_rate_lp))
          .member("guardInterval", text_of(kGuardIntervals, system.guard_interval))
          .member("transmissionMode", text_of(kTransmissionModes, system.transmission_mode))
          .member("hierarchy", text_of(kHierarchies, system.hierarchy & 3U))
          .member("plpId", system.input_stream);
      break;
  }
  json.end_object();
}

std::string_view kind_text(StreamKind kind) {
  switch (kind) {
    case StreamKind::video:
      return "video";
    case StreamKind::audio:
      return "audio";
    case StreamKind::subtitle:
      return "subtitles";
    case StreamKind::teletext:
      return "teletext";
    case StreamKind::data:
      break;
  }
  return "data";
}

std::string_view purpose_text(AudioPurpose purpose) {
  switch (purpose) {
    case AudioPurpose::clean_effects:
      return "clean-effects";
    case AudioPurpose::hearing_impaired:
      return "hearing-impaired";
    case AudioPurpose::visually_impaired:
      return "visually-impaired";
    case AudioPurpose::commentary:
      return "commentary";
    case AudioPurpose::main:
      break;
  }
  return "main";
}

void write_languages(JsonWriter& json, std::string_view languages) {
  json.key("languages").begin_array();
  while (!languages.empty()) {
    const std::size_t end = languages.find('/');
    json.value(languages.substr(0, end));
    languages = end == std::string_view::npos ? std::string_view{} : languages.substr(end + 1);
  }
  json.end_array();
}

void write_stream(JsonWriter& json, const ElementaryStream& stream) {
  json.begin_object()
      .member("pid", stream.pid)
      .member("streamType", stream.stream_type)
      .member("kind", kind_text(stream.kind))
      .member("codec", codec_name(stream.codec));
  write_languages(json, stream.language);
  json.member("purpose", purpose_text(stream.purpose)).key("componentTag");
  if (stream.component_tag < 0) {
    json.null();
  } else {
    json.value(stream.component_tag);
  }
  json.key("pages").begin_array();
  for (const SubtitlePage& page : stream.pages) {
    json.begin_object()
        .member("language", std::string_view(page.language))
        .member("type", page.type)
        .member("page", page.page)
        .member("ancillary", page.ancillary)
        .member("hearingImpaired", page.hearing_impaired)
        .end_object();
  }
  json.end_array().end_object();
}

void write_triplet(JsonWriter& json, const DvbTriplet& triplet) {
  json.member("originalNetworkId", triplet.original_network_id)
      .member("transportStreamId", triplet.transport_stream_id)
      .member("serviceId", triplet.service_id);
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<std::uint8_t>(byte) >> 4]);
    text.push_back(kDigits[byte & 0xF]);
  }
  return text;
}

/// Writes a channel number; null for 0, which means none.
void write_number(JsonWriter& json, std::string_view name, std::uint16_t number) {
  json.key(name);
  if (number == 0) {
    json.null();
  } else {
    json.value(number);
  }
}

void write_service(JsonWriter& json, const Service& service) {
  json.begin_object();
  write_triplet(json, service.triplet);
  json.member("name", std::string_view(service.name))
      .member("shortName", std::string_view(service.short_name))
      .member("provider", std::string_view(service.provider))
      .member("type", service.type)
      .member("scrambled", service.scrambled)
      .member("runningStatus", static_cast<unsigned>(service.running_status))
      .member("described", service.in_sdt)
      .member("hasPresentFollowing", service.eit_present_following)
      .member("hasSchedule", service.eit_schedule)
      .member("pmtPid", service.pmt_pid)
      .member("pcrPid", service.pcr_pid);
  json.key("caSystems").begin_array();
  for (const std::uint16_t system : service.ca_system_ids) json.value(system);
  json.end_array().key("streams").begin_array();
  for (const ElementaryStream& stream : service.streams) write_stream(json, stream);
  json.end_array();
  write_number(json, "channelNumber", service.logical_channel_number);
  json.member("oneSeg", service.one_seg);
  if (service.logo != nullptr) json.member("logo", std::string_view(hexadecimal(*service.logo)));
  write_number(json, "simulcastNumber", service.simulcast_channel_number);
  write_number(json, "minorNumber", service.minor_channel_number);
  json.member("sourceId", service.source_id);
  if (service.text != nullptr) json.member("description", std::string_view(*service.text));
  json.key("subServices").begin_array();
  for (const SubService& linked : service.sub_services) {
    json.begin_object();
    write_triplet(json, linked.triplet);
    json.member("name", std::string_view(linked.name)).end_object();
  }
  json.end_array()
      .member("visible", service.visible)
      .member("defaultAuthority", std::string_view(service.default_authority))
      .end_object();
}

template <typename Value>
void write_optional(JsonWriter& json, std::string_view name, const std::optional<Value>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void write_transport_stream(JsonWriter& json, const TransportStream& stream) {
  json.begin_object()
      .member("transportStreamId", stream.transport_stream_id)
      .member("originalNetworkId", stream.original_network_id)
      .member("networkId", stream.network_id)
      .key("namespace");
  if (stream.delivery_system) {
    json.value(enigma2_namespace(*stream.delivery_system, stream.original_network_id, stream.transport_stream_id));
  } else {
    json.null();
  }
  json.key("delivery");
  if (stream.delivery_system) {
    write_delivery(json, *stream.delivery_system);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

std::string multiplex_json(const Tuner::MultiplexState& state) {
  static const MultiplexSnapshot kNothing;
  const MultiplexSnapshot& multiplex = state.snapshot ? *state.snapshot : kNothing;
  JsonWriter json;
  json.begin_object().member("generation", state.generation);
  write_optional(json, "transportStreamId", multiplex.transport_stream_id);
  write_optional(json, "originalNetworkId", multiplex.original_network_id);
  json.key("networkId");
  if (multiplex.network) {
    json.value(multiplex.network->network_id);
  } else {
    json.null();
  }
  json.member("networkName", multiplex.network ? std::string_view(multiplex.network->name) : std::string_view())
      .member("hasPat", multiplex.has_pat)
      .member("complete", multiplex.complete)
      .member("exhausted", multiplex.exhausted);
  json.key("services").begin_array();
  for (const Service& service : multiplex.services) write_service(json, service);
  json.end_array().key("otherServices").begin_array();
  for (const auto& table : multiplex.other_services) {
    for (const Service& service : *table) write_service(json, service);
  }
  json.end_array().key("guideServices").begin_array();
  for (const GuideService& service : multiplex.guide_services) {
    json.begin_object();
    write_triplet(json, service.triplet);
    json.member("actual", service.actual).end_object();
  }
  json.end_array().key("transportStreams").begin_array();
  for (const TransportStream& stream : multiplex.transport_streams) write_transport_stream(json, stream);
  json.end_array().key("bouquets").begin_array();
  for (const Bouquet& bouquet : multiplex.bouquets) {
    json.begin_object()
        .member("bouquetId", bouquet.bouquet_id)
        .member("name", std::string_view(bouquet.name))
        .key("services")
        .begin_array();
    for (const DvbTriplet& service : bouquet.services) {
      json.begin_object();
      write_triplet(json, service);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

std::string guide_json(const std::vector<GuideProgress::Stream>& streams) {
  JsonWriter json;
  json.begin_array();
  for (const GuideProgress::Stream& stream : streams) {
    json.begin_object()
        .member("originalNetworkId", stream.original_network_id)
        .member("transportStreamId", stream.transport_stream_id)
        .member("presentFollowing", stream.present_following)
        .member("presentFollowingComplete", stream.present_following_complete)
        .member("schedules", stream.schedules)
        .member("schedulesComplete", stream.schedules_complete)
        .end_object();
  }
  json.end_array();
  return json.take();
}

std::string statistics_json(const TunerStatistics& statistics) {
  JsonWriter json;
  const PidStatistics& totals = statistics.totals;
  json.begin_object()
      .member("bytes", statistics.bytes)
      .member("packets", statistics.packets.packets)
      .member("syncLosses", statistics.packets.sync_losses)
      .member("skippedBytes", statistics.packets.skipped_bytes)
      .member("transportErrors", totals.transport_errors)
      .member("continuityErrors", totals.continuity_errors)
      .member("sections", totals.sections)
      .member("sectionCrcErrors", totals.section_errors.crc)
      .member("sectionsLost", totals.section_errors.lost + totals.section_errors.truncated)
      .member("sectionsRefused", totals.section_errors.oversized + statistics.ignored_sections)
      .member("bitRate", statistics.bit_rate)
      .member("overflows", statistics.overflows)
      .key("network")
      .begin_object()
      .member("lost", statistics.network.lost)
      .member("reordered", statistics.network.reordered)
      .member("late", statistics.network.late)
      .member("refused", statistics.network.refused)
      .end_object();
  json.key("pids").begin_array();
  for (const PidStatistics& pid : statistics.pids) {
    json.begin_object()
        .member("pid", pid.pid)
        .member("packets", pid.packets)
        .member("continuityErrors", pid.continuity_errors)
        .member("duplicates", pid.duplicates)
        .member("transportErrors", pid.transport_errors)
        .member("scrambled", pid.scrambled)
        .end_object();
  }
  json.end_array().key("streams").begin_array();
  for (const StreamStatistics& stream : statistics.streams) {
    json.begin_object()
        .member("serviceId", stream.service_id)
        .member("delivered", stream.counters.delivered)
        .member("queued", stream.counters.queued)
        .member("bound", stream.counters.max_bytes)
        .end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace receiverd::dvb
