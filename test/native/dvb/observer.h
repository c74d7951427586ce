// Stores what a multiplex publishes, as the tuner does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "dvb/multiplex/multiplex.h"

namespace receiverd::dvb {

class Observer : public MultiplexObserver {
 public:
  void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& changed) override {
    snapshot = changed;
    generations.push_back(changed->generation);
  }
  void eit_section(wire::Bytes section, const epg::SiRules&) override {
    ++eit_sections;
    if (const auto header = read_eit_section_header(section)) eit_triplet = header->triplet();
  }
  void psip_section(wire::Bytes, const epg::PsipOrigin&) override { ++psip_sections; }
  void broadcast_time(const BroadcastTime& received) override {
    time = received;
    times.push_back(received.utc);
  }

  std::shared_ptr<const MultiplexSnapshot> snapshot = std::make_shared<const MultiplexSnapshot>();
  BroadcastTime time;
  std::vector<std::uint64_t> generations;
  std::vector<wire::UnixSeconds> times;
  std::size_t eit_sections = 0;
  std::size_t psip_sections = 0;
  DvbTriplet eit_triplet;  ///< of the last EIT section
};

/// The service with this id; null if the multiplex does not have it.
inline const Service* find(const MultiplexSnapshot& snapshot, std::uint16_t service_id) {
  const auto found = std::ranges::find(snapshot.services, service_id,
                                       [](const Service& service) { return service.triplet.service_id; });
  return found != snapshot.services.end() ? &*found : nullptr;
}

}  // namespace receiverd::dvb
