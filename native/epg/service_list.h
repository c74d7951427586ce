// Services as the lists of events show them: in order, each with the service under which the guide keeps its events and
// with texts (its reference, its name, ...), escaped once for both faces of the interface. Made when the lists of the
// receiver change, used by every answer until then.
//
// Thread safety: does not change once made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event.h"
#include "epg/text_escape.h"

namespace receiverd::epg {

class ServiceList {
 public:
  /// `texts` has `columns` texts a service, service by service, UTF-8. Nothing for a service that has no guide (a
  /// marker). REQUIRES: texts.size() == services.size() * columns, escaped texts of less than 4 GiB.
  ServiceList(std::vector<std::optional<ServiceKey>> services, std::span<const std::string> texts, std::size_t columns);

  std::size_t size() const { return services_.size(); }
  std::size_t columns() const { return columns_; }
  const std::optional<ServiceKey>& key(std::size_t index) const { return services_[index]; }
  /// REQUIRES: index < size(), column < columns().
  std::string_view text(std::size_t index, std::size_t column, Escape form) const {
    const Span& span = (form == Escape::xml ? xml_ : json_)[index * columns_ + column];
    return std::string_view{bytes_}.substr(span.begin, span.length);
  }
  /// Which entries are this service, in their order.
  std::span<const std::uint32_t> entries_of(const ServiceKey& key) const;

 private:
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  Span add(const std::string& text);

  std::vector<std::optional<ServiceKey>> services_;
  std::size_t columns_;
  std::string bytes_;
  std::vector<Span> xml_;
  std::vector<Span> json_;
  std::vector<std::uint32_t> by_key_;
};

}  // namespace receiverd::epg
