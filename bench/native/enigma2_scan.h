// How Enigma2 keeps and searches its guide, rebuilt from what is known of its behaviour: events hang on their service,
// each refers to its descriptors by CRC_32, and equal descriptors are kept once. A search looks at each pooled
// short_event descriptor, then at every event of every service for one of those that agreed; the full-text search also
// joins each event's extended_event descriptors. Bytes are compared at every place with strncasecmp. Hits come in the
// order of the tables.
//
// Its favour: matching CRCs are looked up by bisection (a list there), and hits are neither looked up nor written.
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

  /// Texts as UTF-8, at most what the descriptors of one event hold.
  void add(std::uint32_t service, std::uint16_t id, std::uint32_t start, std::string_view title,
           std::string_view short_text, std::string_view long_text);

  /// Every hit.
  std::vector<Hit> search(std::string_view wanted, bool all_texts) const;

 private:
  std::uint32_t pool(std::string descriptor);

  std::unordered_map<std::uint32_t, std::string> descriptors_;
  std::map<std::uint32_t, std::vector<Event>> services_;
};

}  // namespace receiverd::bench
