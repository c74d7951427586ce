// Generates the packets of the demo multiplex, one by one, at a constant rate.
//
// Time is counted in packets: packet n is sent at n / 2 ms after 1970. For every packet the candidate with the earliest
// deadline is sent:
//
//   PCR        at least every 36 ms on each PCR PID (DVB: 40 ms), together with data if there is some
//   tables     see carousel.h
//   video      from 700 ms before presentation; must arrive 100 ms before it
//   audio      three frames per PES packet, from 150 ms before presentation; must arrive 40 ms before it
//   subtitles  from one second before presentation; must arrive 300 ms before it
//
// If there is no candidate, a null packet is sent. No buffer of the decoder model (ISO/IEC 13818-1 §2.4.2) overflows or
// underflows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "demo/assets.h"
#include "demo/carousel.h"
#include "demo/schedule.h"

namespace receiverd::demo {

inline constexpr std::int64_t kPacketsPerSecond = 2000;  ///< 3.01 Mbit/s

class Multiplexer {
 public:
  /// Starts with packet `first`; see kPacketsPerSecond.
  Multiplexer(std::int64_t first, std::shared_ptr<const Assets> assets, UtcOffset utc_offset);
  ~Multiplexer();

  std::int64_t next() const { return now_; }

  /// Writes packet next() into 188 bytes.
  void write(std::uint8_t* packet);

  /// Continues with packet `first`, because the clock was set, once the PES packets in progress have been sent. The
  /// next PCRs have the discontinuity_indicator set.
  void jump(std::int64_t first) { jump_to_ = first; }
  /// Whether a jump is pending.
  bool has_pending_jump() const { return jump_to_.has_value(); }

 private:
  struct Service;
  struct Stream;

  void add_tables();
  void refresh_tables();
  void begin_units();
  void continue_at(std::int64_t first);
  Stream* urgent_stream(std::int64_t& deadline);

  const std::shared_ptr<const Assets> assets_;
  UtcOffset utc_offset_;
  std::int64_t now_;
  std::optional<std::int64_t> jump_to_;
  Carousel carousel_;
  std::vector<Service> services_;
  std::vector<Stream> streams_;
  std::size_t tdt_group_ = 0;
  std::size_t tot_group_ = 0;
  std::size_t refreshed_ = 0;  // service whose tables are checked next
};

}  // namespace receiverd::demo
