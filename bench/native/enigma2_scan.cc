#include "enigma2_scan.h"

#include <strings.h>

#include <algorithm>

#include "wire/crc32.h"

namespace receiverd::bench {
namespace {

constexpr char kShortEvent = 0x4D;
constexpr char kExtendedEvent = 0x4E;
constexpr std::size_t kShortHeader = 2 + 3;
constexpr std::size_t kExtendedHeader = 2 + 1 + 3 + 1 + 1;
constexpr std::size_t kExtendedText = 255 - 6;

std::size_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool contains(std::string_view text, std::string_view wanted) {
  for (std::size_t at = 0; at + wanted.size() <= text.size(); ++at) {
    if (strncasecmp(text.data() + at, wanted.data(), wanted.size()) == 0) return true;
  }
  return false;
}

}  // namespace

std::uint32_t Enigma2Guide::pool(std::string descriptor) {
  std::uint32_t crc = wire::crc32({reinterpret_cast<const std::uint8_t*>(descriptor.data()), descriptor.size()}, 0);
  // Enigma2 treats descriptors with the same CRC as equal. A real guide of 200,000 events has four such pairs, which
  // would make results differ: here the second one gets the next number.
  for (;; ++crc) {
    const auto [known, fresh] = descriptors_.try_emplace(crc, descriptor);
    if (fresh || known->second == descriptor) return crc;
  }
}

void Enigma2Guide::add(std::uint32_t service, std::uint16_t id, std::uint32_t start, std::string_view title,
                       std::string_view short_text, std::string_view long_text) {
  Event event{id, start, {}};
  std::string descriptor{kShortEvent, static_cast<char>(kShortHeader + title.size() + short_text.size())};
  descriptor += "eng";
  descriptor += static_cast<char>(title.size());
  descriptor += title;
  descriptor += static_cast<char>(short_text.size());
  descriptor += short_text;
  event.descriptors.push_back(pool(std::move(descriptor)));
  for (std::size_t at = 0; at < long_text.size(); at += kExtendedText) {
    const std::string_view part = long_text.substr(at, kExtendedText);
    descriptor = {kExtendedEvent, static_cast<char>(part.size() + 6), static_cast<char>(at / kExtendedText)};
    descriptor += "eng";
    descriptor += '\0';
    descriptor += static_cast<char>(part.size());
    descriptor += part;
    event.descriptors.push_back(pool(std::move(descriptor)));
  }
  services_[service].push_back(std::move(event));
}

std::vector<Enigma2Guide::Hit> Enigma2Guide::search(std::string_view wanted, bool all_texts) const {
  std::vector<std::uint32_t> agree;
  for (const auto& [crc, descriptor] : descriptors_) {
    if (descriptor[0] != kShortEvent) continue;
    const std::string_view texts = std::string_view(descriptor).substr(kShortHeader);
    const std::size_t title = byte_at(texts, 0);
    if (contains(texts.substr(1, title), wanted) || (all_texts && contains(texts.substr(2 + title), wanted))) {
      agree.push_back(crc);
    }
  }
  std::sort(agree.begin(), agree.end());

  std::vector<Hit> hits;
  std::string joined;
  for (const auto& [service, events] : services_) {
    for (const Event& event : events) {
      bool hit = false;
      for (const std::uint32_t crc : event.descriptors) {
        if (std::binary_search(agree.begin(), agree.end(), crc)) hit = true;
      }
      if (!hit && all_texts && event.descriptors.size() > 1) {
        joined.clear();
        for (const std::uint32_t crc : event.descriptors) {
          const std::string& descriptor = descriptors_.find(crc)->second;
          if (descriptor[0] == kExtendedEvent) joined.append(descriptor, kExtendedHeader);
        }
        hit = contains(joined, wanted);
      }
      if (hit) hits.push_back({event.start, service, event.id});
    }
  }
  return hits;
}

}  // namespace receiverd::bench
