#include "demo/multiplexer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "demo/elementary_output.h"
#include "demo/guide_tables.h"
#include "demo/service_tables.h"
#include "dvb/packets/section_writer.h"

namespace receiverd::demo {

using dvb::kPacketSize;

namespace {

constexpr std::int64_t kPerMillisecond = kPacketsPerSecond / 1000;
constexpr std::int64_t kClocksPerPacket = 27'000'000 / kPacketsPerSecond;
constexpr std::int64_t kTicksPerPacket = 90'000 / kPacketsPerSecond;
constexpr std::int64_t kPtsModulus = std::int64_t{1} << 33;

constexpr std::int64_t milliseconds(std::int64_t count) { return count * kPerMillisecond; }

constexpr std::int64_t kMaxPcrInterval = milliseconds(36);
constexpr std::int64_t kMinPcrInterval = milliseconds(30);  // a data packet carries a PCR if one is due soon
constexpr std::int64_t kStartDelay = milliseconds(700);
constexpr std::int64_t kSectionDistance = 4;  // below 1 Mbit/s on a PID
constexpr std::int64_t kRefreshPeriod = milliseconds(50);

/// When the units of a stream are sent, in packets.
struct SendTiming {
  std::int64_t max_lead;         ///< a unit is sent at most so long before its presentation
  std::int64_t min_lead;         ///< and must have been sent so long before it
  std::int64_t packet_distance;  ///< between two packets on the PID: limited by its transport buffer
  int units_per_pes;             ///< units in a PES packet
};

constexpr SendTiming kVideoTiming{milliseconds(700), milliseconds(100), 1, 1};
constexpr SendTiming kAudioTiming{milliseconds(150), milliseconds(40), 2, 3};        // below 2 Mbit/s
constexpr SendTiming kSubtitleTiming{milliseconds(1000), milliseconds(300), 16, 1};  // below 192 kbit/s

const SendTiming& timing_of(Coding coding) {
  if (coding == Coding::h264 || coding == Coding::hevc) return kVideoTiming;
  return coding == Coding::subtitles ? kSubtitleTiming : kAudioTiming;
}

std::int64_t pcr_of(std::int64_t packet) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(packet) * kClocksPerPacket % dvb::kPcrModulus);
}
std::int64_t seconds_of(std::int64_t packet) { return packet / kPacketsPerSecond; }

}  // namespace

struct Multiplexer::Service {
  Service(const LineupEntry& entry, const GuideText& guide, const UtcOffset& utc_offset)
      : lineup(entry), schedule(entry, guide, utc_offset) {}

  const LineupEntry& lineup;
  Schedule schedule;
  std::size_t present_group = 0;
  std::size_t schedule_group = 0;
  int present_id = -1;             // id of the present event in the carousel
  std::int64_t schedule_day = -1;  // UTC day of the schedule sections
};

struct Multiplexer::Stream {
  Stream(const StreamEntry& entry, const Loop& of_units, bool with_pcr)
      : output(entry.pid),
        loop(of_units),
        stream_id(traits(entry.coding).stream_id),
        timing(timing_of(entry.coding)),
        carries_pcr(with_pcr) {}

  ElementaryOutput output;
  const Loop& loop;
  const std::uint8_t stream_id;
  const SendTiming& timing;
  const bool carries_pcr;
  std::int64_t next_unit = 0;
  std::int64_t deadline = 0;  // of the unit in progress
  std::int64_t free_at = INT64_MIN;
  bool discontinuity = false;
  std::int64_t last_pcr = 0;

  /// Presentation time of the next unit in 90 kHz ticks.
  std::int64_t presentation_time() const { return next_unit * loop.duration(); }

  void restart(std::int64_t now) {
    next_unit = (now + kStartDelay) * kTicksPerPacket / loop.duration() + 1;
    while (!loop.is_random_access(next_unit)) ++next_unit;
    free_at = now;
    last_pcr = now;
  }

  void begin() {
    deadline = presentation_time() / kTicksPerPacket - timing.min_lead;
    output.begin(stream_id, presentation_time() % kPtsModulus, loop.is_random_access(next_unit));
    for (int i = 0; i < timing.units_per_pes; ++i) output.append(loop.unit(next_unit++));
  }
};

Multiplexer::Multiplexer(std::int64_t first, std::shared_ptr<const Assets> assets, UtcOffset utc_offset)
    : assets_(std::move(assets)), utc_offset_(std::move(utc_offset)), now_(first), carousel_(kSectionDistance) {
  auto of_service = assets_->begin();
  for (const LineupEntry& entry : lineup()) {
    services_.emplace_back(entry, of_service->guide, utc_offset_);
    auto loop = of_service->loops.begin();
    for (const StreamEntry& stream : entry.streams) {
      streams_.emplace_back(stream, *loop++, stream.pid == entry.pcr_pid()).restart(now_);
    }
    ++of_service;
  }
  add_tables();
}

Multiplexer::~Multiplexer() = default;

/// Repetition rates: ISO/IEC 13818-1 and TS 101 211 §4.4 require 100 ms (PAT, PMT), 10 s (NIT, BAT, SDT other), 2 s
/// (SDT, EIT present/following), 30 s (TDT, TOT). With a guide cycle of 12 s a new receiver is complete quickly.
void Multiplexer::add_tables() {
  const auto add = [this](std::uint16_t pid, std::int64_t period, std::vector<dvb::Section> sections) {
    const std::size_t group = carousel_.add_group(pid, milliseconds(period), now_);
    carousel_.replace(group, std::move(sections));
    return group;
  };
  using namespace dvb::pid;
  add(kPat, 90, pat_sections());
  for (const Service& service : services_) add(service.lineup.pmt_pid, 90, pmt_sections(service.lineup));
  add(kSdtBat, 1000, sdt_actual_sections());
  add(kSdtBat, 5000, sdt_other_sections());
  add(kNit, 2000, nit_sections());
  add(kSdtBat, 5000, bat_sections());
  tdt_group_ = add(kTdtTot, 2000, {});
  tot_group_ = add(kTdtTot, 5000, {});
  for (Service& service : services_) service.present_group = add(kEit, 1000, {});
  for (Service& service : services_) service.schedule_group = add(kEit, 12000, {});
}

/// Updates tables that have changed. The schedule is updated for one service per call, so that no packet waits long.
void Multiplexer::refresh_tables() {
  const std::int64_t time = seconds_of(now_);
  if (carousel_.is_due(tdt_group_, now_ + kRefreshPeriod)) carousel_.replace(tdt_group_, tdt_sections(time));
  if (carousel_.is_due(tot_group_, now_ + kRefreshPeriod))
    carousel_.replace(tot_group_, tot_sections(time, utc_offset_));
  for (Service& service : services_) {
    const int present = service.schedule.at(time).present.id;
    if (present == service.present_id) continue;
    service.present_id = present;
    carousel_.replace(service.present_group, present_following_sections(service.lineup, service.schedule, time));
  }
  Service& service = services_[refreshed_];
  refreshed_ = (refreshed_ + 1) % services_.size();
  if (service.schedule_day != time / 86400) {
    service.schedule_day = time / 86400;
    carousel_.replace(service.schedule_group, schedule_sections(service.lineup, service.schedule, time));
  }
}

void Multiplexer::begin_units() {
  for (Stream& stream : streams_) {
    if (stream.output.is_idle() && (now_ + stream.timing.max_lead) * kTicksPerPacket >= stream.presentation_time())
      stream.begin();
  }
}

Multiplexer::Stream* Multiplexer::urgent_stream(std::int64_t& deadline) {
  Stream* urgent = nullptr;
  for (Stream& stream : streams_) {
    if (stream.output.is_idle() || stream.free_at > now_ || stream.deadline >= deadline) continue;
    deadline = stream.deadline;
    urgent = &stream;
  }
  return urgent;
}

void Multiplexer::write(std::uint8_t* packet) {
  if (jump_to_ && std::ranges::all_of(streams_, [](const Stream& stream) { return stream.output.is_idle(); })) {
    continue_at(*std::exchange(jump_to_, std::nullopt));
  }
  if (now_ % kRefreshPeriod == 0 || services_.front().present_id < 0) refresh_tables();
  if (!jump_to_) begin_units();
  const std::int64_t pcr = pcr_of(now_);

  for (Stream& stream : streams_) {
    if (!stream.carries_pcr || now_ < stream.last_pcr + kMaxPcrInterval) continue;
    stream.last_pcr = now_;
    const bool discontinuity = std::exchange(stream.discontinuity, false);
    if (stream.output.is_idle() || stream.free_at > now_) {
      stream.output.write_pcr_only(packet, pcr, discontinuity);
    } else {
      stream.output.write(packet, pcr, discontinuity);
    }
    ++now_;
    return;
  }

  std::int64_t deadline = carousel_.deadline(now_);
  if (Stream* stream = urgent_stream(deadline)) {
    const bool take_pcr = stream->carries_pcr && now_ >= stream->last_pcr + kMinPcrInterval;
    if (take_pcr) stream->last_pcr = now_;
    stream->output.write(packet, take_pcr ? pcr : -1, take_pcr && std::exchange(stream->discontinuity, false));
    stream->free_at = now_ + stream->timing.packet_distance;
  } else if (deadline != Carousel::kNothing) {
    std::memcpy(packet, carousel_.take(now_).data(), kPacketSize);
  } else {
    dvb::write_null_packet(std::span<std::uint8_t, kPacketSize>(packet, kPacketSize));
  }
  ++now_;
}

void Multiplexer::continue_at(std::int64_t first) {
  now_ = first;
  carousel_.restart(now_);
  for (Stream& stream : streams_) {
    stream.restart(now_);
    stream.discontinuity = stream.carries_pcr;
  }
  for (Service& service : services_) service.present_id = -1;
}

}  // namespace receiverd::demo
