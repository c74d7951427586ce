// A model of how Enigma2 stores and searches its guide, based on its known behaviour.
//
// Events belong to their service, each refers to its descriptors by CRC_32, and equal descriptors are stored once. A
// search checks each pooled short_event descriptor, then every event of every service for one of those that matched.
// The full-text search also joins each event's extended_event descriptors. Bytes are compared at every position with
// strncasecmp. Hits are in the order of the tables.
//
// Two things favour it: matching CRCs are looked up by bisection (Enigma2 uses a list), and hits are neither looked up
// nor written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiverd::bench {

class Enigma2Guide {
 public:
  struct Event {
    std::uint16_t id = 0;
    std::uint32_t start = 0;
    std::vector<std::uint32_t> descriptors;
  };
  struct Hit {
    std::uint32_t start = 0;
    std::uint32_t service = 0;
    std::uint16_t id = 0;
    auto operator<=>(const Hit&) const = default;
  };

  /// Texts as UTF-8, at most as long as the descriptors of one event allow.
  void add(std::uint32_t service, std::uint16_t id, std::uint32_t start, std::string_view title,
           std::string_view short_text, std::string_view long_text);

  /// Returns every hit.
  std::vector<Hit> search(std::string_view wanted, bool all_texts) const;

 private:
  std::uint32_t pool(std::string descriptor);

  std::unordered_map<std::uint32_t, std::string> descriptors_;
  std::map<std::uint32_t, std::vector<Event>> services_;
};

}  // namespace receiverd::bench
