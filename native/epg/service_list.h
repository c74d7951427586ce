// Services as the lists of events show them: in order, each with the service under which the guide keeps its events and
// with texts (its reference, its name, ...), escaped once for both faces of the interface. Made when the lists of the
// receiver change, used by every answer until then.
//
// Thread safety: does not change once made, but for what it remembers of the guide: where the services were found last,
// and which ones it lacks. Any thread may ask for these. A list belongs to one guide.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event.h"
#include "epg/store.h"
#include "epg/text_escape.h"

namespace receiverd::epg {

class ServiceList {
 public:
  /// `texts` has `columns` texts a service, service by service, UTF-8. Nothing for a service that has no guide (a
  /// marker). REQUIRES: texts.size() == services.size() * columns, escaped texts of less than 4 GiB.
  ServiceList(std::vector<std::optional<ServiceKey>> services, std::span<const std::string> texts, std::size_t columns);

  /// The same services as these lists, one after another: a long list is made in parts, so that nobody waits for it.
  /// REQUIRES: the same columns in all, at least one list.
  explicit ServiceList(std::span<const std::shared_ptr<const ServiceList>> parts);

  std::size_t size() const { return services_.size(); }
  std::size_t columns() const { return columns_; }
  /// That its texts take.
  std::size_t bytes() const { return bytes_.size(); }
  const std::optional<ServiceKey>& key(std::size_t index) const { return services_[index]; }
  /// Under which number the guide had the service when it was last found there.
  std::uint16_t number(std::size_t index) const { return numbers_[index].load(std::memory_order_relaxed); }
  void set_number(std::size_t index, std::uint16_t number) const {
    numbers_[index].store(number, std::memory_order_relaxed);
  }
  /// Bytes that may be read behind a text.
  static constexpr std::size_t kPadding = 32;
  /// REQUIRES: index < size(), column < columns().
  std::string_view text(std::size_t index, std::size_t column, Escape form) const {
    const Span& span = (form == Escape::xml ? xml_ : json_)[index * columns_ + column];
    return std::string_view{bytes_}.substr(span.begin, span.length);
  }
  /// Which entries are this service, in their order.
  std::span<const std::uint32_t> entries_of(const ServiceKey& key) const;
  /// Services of the guide that are not in the list.
  std::shared_ptr<const std::vector<ServiceKey>> others(const Store::Reader& reader) const;

 private:
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  Span add(const std::string& text);
  void order();

  std::vector<std::optional<ServiceKey>> services_;
  mutable std::vector<std::atomic<std::uint16_t>> numbers_;
  std::size_t columns_;
  std::string bytes_;
  std::vector<Span> xml_;
  std::vector<Span> json_;
  /// The entries that have a guide, by their service; and those services as numbers, in the same order.
  std::vector<std::uint32_t> by_key_;
  std::vector<std::uint64_t> keys_;
  /// What others() gave last, and for which state of the guide. No other lock is taken under this one.
  mutable std::mutex others_mutex_;
  mutable std::shared_ptr<const std::vector<ServiceKey>> others_;
  mutable std::uint64_t others_at_ = 0;
};

}  // namespace receiverd::epg
