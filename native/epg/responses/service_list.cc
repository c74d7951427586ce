#include "epg/responses/service_list.h"

#include <algorithm>

namespace receiverd::epg {
namespace {

/// A number that sorts like the key.
std::uint64_t number_of(const DvbTriplet& key) {
  return std::uint64_t{key.original_network_id} << 32 | std::uint64_t{key.transport_stream_id} << 16 | key.service_id;
}

}  // namespace

ServiceList::ServiceList(std::vector<std::optional<DvbTriplet>> services, std::span<const std::string> texts,
                         std::size_t columns)
    : services_(std::move(services)), columns_(columns) {
  xml_.reserve(texts.size());
  json_.reserve(texts.size());
  for (const std::string& text : texts) {
    const std::string xml = escaped(Escape::xml, text);
    const std::string json = '"' + escaped(Escape::json, text) + '"';
    xml_.push_back(add(xml));
    json_.push_back(add(json));
  }
  bytes_.shrink_to_fit();
  order();
}

void ServiceList::order() {
  by_key_.reserve(services_.size());
  for (std::uint32_t entry = 0; entry < services_.size(); ++entry) {
    if (services_[entry]) by_key_.push_back(entry);
  }
  std::stable_sort(by_key_.begin(), by_key_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return *services_[a] < *services_[b]; });
  keys_.reserve(by_key_.size());
  for (const std::uint32_t entry : by_key_) keys_.push_back(number_of(*services_[entry]));
}

std::span<const std::uint32_t> ServiceList::entries_of(const DvbTriplet& key) const {
  const std::uint64_t number = number_of(key);
  const auto first = std::lower_bound(keys_.begin(), keys_.end(), number);
  auto last = first;
  while (last != keys_.end() && *last == number && last - first < 4) ++last;
  if (last - first == 4) last = std::upper_bound(last, keys_.end(), number);
  const auto begin = by_key_.begin() + (first - keys_.begin());
  return {begin, begin + (last - first)};
}

std::shared_ptr<const std::vector<DvbTriplet>> ServiceList::others(const Store::Reader& reader) const {
  const std::lock_guard lock(others_mutex_);
  if (others_ != nullptr && others_at_ == reader.service_changes()) return others_;
  auto others = std::make_shared<std::vector<DvbTriplet>>();
  reader.each_service([&](const DvbTriplet& key, const Timeline&) {
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
