// The services of lists of events, in order: each with its key in the guide and with texts (reference, name, ...) that
// are already escaped for both formats, XML and JSON. Built when the receiver's service lists change, and shared by all
// responses until the next change.
//
// Thread safety: any thread. Immutable, except for a locked cache of the guide's services that the list lacks. A list
// belongs to one guide.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"
#include "epg/store/store.h"
#include "epg/text/text_escape.h"

namespace receiverd::epg {

class ServiceList {
 public:
  /// `texts` has `columns` UTF-8 texts per service, service by service. The key is empty for an entry without a guide
  /// (a marker). REQUIRES: texts.size() == services.size() * columns, escaped texts of less than 4 GiB.
  ServiceList(std::vector<std::optional<DvbTriplet>> services, std::span<const std::string> texts, std::size_t columns);

  std::size_t size() const { return services_.size(); }
  std::size_t columns() const { return columns_; }
  const std::optional<DvbTriplet>& key(std::size_t index) const { return services_[index]; }
  /// REQUIRES: index < size(), column < columns().
  std::string_view text(std::size_t index, std::size_t column, Escape escape) const {
    const Span& span = (escape == Escape::xml ? xml_ : json_)[index * columns_ + column];
    return std::string_view{bytes_}.substr(span.begin, span.length);
  }
  /// The entries for this service, in order.
  std::span<const std::uint32_t> entries_of(const DvbTriplet& key) const;
  /// The services of the guide that are not in the list.
  std::shared_ptr<const std::vector<DvbTriplet>> others(const Store::Reader& reader) const;

 private:
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  Span add(const std::string& text);
  void order();

  std::vector<std::optional<DvbTriplet>> services_;
  std::size_t columns_;
  std::string bytes_;
  std::vector<Span> xml_;
  std::vector<Span> json_;
  /// The entries that have a guide, sorted by service; and those services as numbers, in the same order.
  std::vector<std::uint32_t> by_key_;
  std::vector<std::uint64_t> keys_;
  /// The last result of others(), and the state of the guide it belongs to. No other lock is taken under this one.
  mutable std::mutex others_mutex_;
  mutable std::shared_ptr<const std::vector<DvbTriplet>> others_;
  mutable std::uint64_t others_at_ = 0;
};

}  // namespace receiverd::epg
