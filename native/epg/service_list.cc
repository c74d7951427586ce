#include "epg/service_list.h"

#include <algorithm>
#include <numeric>

namespace receiverd::epg {

ServiceList::ServiceList(std::vector<std::optional<ServiceKey>> services, std::span<const std::string> texts,
                         std::size_t columns)
    : services_(std::move(services)), numbers_(services_.size()), columns_(columns), by_key_(services_.size()) {
  xml_.reserve(texts.size());
  json_.reserve(texts.size());
  for (const std::string& text : texts) {
    const std::string xml = escaped(Escape::xml, text);
    const std::string json = escaped(Escape::json, text);
    xml_.push_back(add(xml));
    json_.push_back(xml == json ? xml_.back() : add(json));
  }
  bytes_.append(kPadding, '\0');
  bytes_.shrink_to_fit();
  std::iota(by_key_.begin(), by_key_.end(), 0);
  std::stable_sort(by_key_.begin(), by_key_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return services_[a] < services_[b]; });
}

std::span<const std::uint32_t> ServiceList::entries_of(const ServiceKey& key) const {
  struct ByKey {
    const std::vector<std::optional<ServiceKey>>& services;
    bool operator()(std::uint32_t entry, const ServiceKey& key) const { return services[entry] < key; }
    bool operator()(const ServiceKey& key, std::uint32_t entry) const { return key < services[entry]; }
  };
  const auto [first, last] = std::equal_range(by_key_.begin(), by_key_.end(), key, ByKey{services_});
  return {first, last};
}

ServiceList::Span ServiceList::add(const std::string& text) {
  const Span span{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
  bytes_ += text;
  return span;
}

}  // namespace receiverd::epg
