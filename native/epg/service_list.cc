#include "epg/service_list.h"

#include <algorithm>
#include <numeric>

namespace receiverd::epg {

ServiceList::ServiceList(std::vector<std::optional<ServiceKey>> services, std::span<const std::string> texts,
                         std::size_t columns)
    : services_(std::move(services)), numbers_(services_.size()), columns_(columns) {
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
  order();
}

ServiceList::ServiceList(std::span<const std::shared_ptr<const ServiceList>> parts)
    : columns_(parts.front()->columns_) {
  std::size_t services = 0;
  std::size_t bytes = kPadding;
  for (const auto& part : parts) {
    services += part->size();
    bytes += part->bytes_.size() - kPadding;
  }
  services_.reserve(services);
  xml_.reserve(services * columns_);
  json_.reserve(services * columns_);
  bytes_.reserve(bytes);
  for (const auto& part : parts) {
    const auto moved = static_cast<std::uint32_t>(bytes_.size());
    services_.insert(services_.end(), part->services_.begin(), part->services_.end());
    for (const Span& span : part->xml_) xml_.push_back({moved + span.begin, span.length});
    for (const Span& span : part->json_) json_.push_back({moved + span.begin, span.length});
    bytes_.append(part->bytes_, 0, part->bytes_.size() - kPadding);
  }
  bytes_.append(kPadding, '\0');
  numbers_ = std::vector<std::atomic<std::uint16_t>>(services);
  order();
}

void ServiceList::order() {
  by_key_.resize(services_.size());
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

std::shared_ptr<const std::vector<ServiceKey>> ServiceList::others(const Store::Reader& reader) const {
  const std::lock_guard lock(others_mutex_);
  if (others_ != nullptr && others_at_ == reader.service_changes()) return others_;
  auto others = std::make_shared<std::vector<ServiceKey>>();
  reader.each_service([&](const ServiceKey& key, const Timeline&) {
    if (entries_of(key).empty()) others->push_back(key);
  });
  others_ = std::move(others);
  others_at_ = reader.service_changes();
  return others_;
}

ServiceList::Span ServiceList::add(const std::string& text) {
  const Span span{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
  bytes_ += text;
  return span;
}

}  // namespace receiverd::epg
