// Receives a virtual-clock run of the demo source: demux, multiplex, EIT decoder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "demo/assets.h"
#include "demo/demo_source.h"
#include "demo/multiplexer.h"
#include "dvb/multiplex/multiplex.h"
#include "dvb/observer.h"
#include "epg/eit/eit_decoder.h"

namespace receiverd::demo {

inline const char* const kAssets = RECEIVERD_DEMO_ASSETS;
inline constexpr std::int64_t kNoon = 1'795'262'400;  // 2026-11-21 12:00:00 UTC, a Saturday

inline DemoOptions virtual_clock(std::int64_t unix_seconds, std::int32_t utc_offset = 3600) {
  DemoOptions options;
  options.assets = kAssets;
  options.wall_clock = [unix_seconds] { return unix_seconds * 1000; };
  options.utc_offset = [utc_offset](std::int64_t) { return utc_offset; };
  options.speed = 0;
  return options;
}

/// The guide of a service of the line-up.
inline const GuideText& guide_of(const LineupEntry& entry) {
  static const auto assets = load_assets(kAssets);
  return assets->at(static_cast<std::size_t>(&entry - lineup().data())).guide;
}

/// `seconds` seconds of the multiplex, whole packets.
inline std::vector<std::uint8_t> demo_stream(dvb::Source& source, int seconds) {
  constexpr std::size_t kBytesPerSecond = kPacketsPerSecond * dvb::kPacketSize;
  std::vector<std::uint8_t> stream(kBytesPerSecond * static_cast<std::size_t>(seconds));
  std::size_t size = 0;
  while (size < stream.size()) size += source.read(std::span(stream).subspan(size)).size;
  return stream;
}

struct GuideTable {
  std::uint8_t version = 0;
  std::uint8_t last_section = 0;
  std::map<std::uint8_t, epg::EitSection> sections;
};

class GuideObserver final : public dvb::Observer {
 public:
  void eit_section(wire::Bytes bytes, const epg::SiRules&) override {
    const epg::EitSection* section = decoder.decode(bytes);
    if (section == nullptr) return;
    const auto service_id = static_cast<std::uint16_t>(bytes[3] << 8 | bytes[4]);
    GuideTable& table = guide[{service_id, section->table_id}];
    if (table.version != section->version) table.sections.clear();
    table.version = section->version;
    table.last_section = section->last_section_number;
    table.sections[section->section_number] = *section;
  }

  std::map<std::pair<std::uint16_t, std::uint8_t>, GuideTable> guide;  // by service_id and table_id
  epg::EitDecoder decoder;
};

struct ReceivedDemo {
  explicit ReceivedDemo(wire::Bytes stream) : multiplex(demux, observer) {
    demux.feed(stream);
    multiplex.publish();
  }

  dvb::Demux demux;
  GuideObserver observer;
  dvb::Multiplex multiplex;
};

}  // namespace receiverd::demo
