#include "dvb/multiplex/broadcast_clock.h"

#include <algorithm>
#include <vector>

namespace receiverd::dvb {
namespace {

/// Largest difference between two consecutive times that agree, in seconds. TDT and TOT are sent at least every 30 s
/// (ETSI TS 101 211 §4.4); one may be lost.
constexpr wire::UnixSeconds kMaxTdtDeviation = 60;
/// Largest difference, in seconds, between an estimated time and the first TDT: present events may be that stale.
constexpr wire::UnixSeconds kMaxEstimateError = 12 * 3600;

bool are_near(wire::UnixSeconds a, wire::UnixSeconds b, wire::UnixSeconds distance = kMaxTdtDeviation) {
  return a - b <= distance && b - a <= distance;
}

}  // namespace

bool BroadcastClock::take_tdt(wire::UnixSeconds utc) {
  const bool agrees = (is_real() && are_near(utc, time_.utc)) || (unconfirmed_tdt_ && are_near(utc, *unconfirmed_tdt_));
  const bool plausible =
      time_.origin == BroadcastTime::Origin::estimated ? are_near(utc, time_.utc, kMaxEstimateError) : !confirmed_;
  if (!agrees && !plausible) {
    unconfirmed_tdt_ = utc;
    return false;
  }
  confirmed_ = agrees;
  return receive(BroadcastTime::Origin::tdt, utc);
}

bool BroadcastClock::take_tot(wire::UnixSeconds utc) {
  confirmed_ = true;
  return receive(BroadcastTime::Origin::tot, utc);
}

bool BroadcastClock::receive(BroadcastTime::Origin origin, wire::UnixSeconds utc) {
  time_.origin = origin;
  time_.utc = utc;
  ++time_.received;
  unconfirmed_tdt_.reset();
  if (is_real()) present_.clear();
  return true;
}

bool BroadcastClock::take_present_following(const EitSectionHeader& header, wire::Bytes section,
                                            std::int32_t zone_seconds) {
  if (is_real() || header.section.section_number != 0 || !header.section.current) return false;
  const auto place = present_.find(header.triplet());
  const std::uint32_t crc = section_crc(section);
  if (place != present_.end() && place->second.crc == crc) return false;
  if (place == present_.end() && present_.size() >= kMaxServices) return false;
  Present present{crc, 0, 0};
  if (const auto event = first_eit_event(section); event && event->start) {
    present.start = *event->start - zone_seconds;
    present.end = present.start + event->duration;
  }
  present_.insert_or_assign(header.triplet(), present);
  return estimate();
}

bool BroadcastClock::estimate() {
  std::vector<wire::UnixSeconds> starts;
  std::vector<wire::UnixSeconds> ends;
  for (const auto& [triplet, present] : present_) {
    if (present.start == present.end) continue;
    starts.push_back(present.start);
    ends.push_back(present.end);
  }
  if (starts.empty()) return false;
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  std::ptrdiff_t max_running = 0;
  wire::UnixSeconds best_time = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const wire::UnixSeconds time = starts[i];
    const auto started = std::upper_bound(starts.begin(), starts.end(), time) - starts.begin();
    const auto ended = std::upper_bound(ends.begin(), ends.end(), time) - ends.begin();
    if (started - ended < max_running) continue;
    max_running = started - ended;
    best_time = time;
  }
  if (time_.origin == BroadcastTime::Origin::estimated && time_.utc == best_time) return false;
  return receive(BroadcastTime::Origin::estimated, best_time);
}

}  // namespace receiverd::dvb
