#include "dvb/demo/multiplexer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "dvb/demo/guide_tables.h"
#include "dvb/demo/service_tables.h"
#include "dvb/section_packetizer.h"

namespace receiverd::dvb::demo {
namespace {

constexpr std::int64_t kPerMillisecond = kPacketsPerSecond / 1000;
constexpr std::int64_t kTicksPerPacket = 27'000'000 / kPacketsPerSecond;
constexpr std::int64_t kPtsModulus = std::int64_t{1} << 33;

constexpr std::int64_t milliseconds(std::int64_t count) { return count * kPerMillisecond; }

constexpr std::int64_t kPcrPeriod = milliseconds(36);
constexpr std::int64_t kPcrSoon = milliseconds(30);  // a data packet carries a PCR if one is due soon
constexpr std::int64_t kVideoAhead = milliseconds(700);
constexpr std::int64_t kVideoSlack = milliseconds(100);
constexpr std::int64_t kAudioAhead = milliseconds(150);
constexpr std::int64_t kAudioSlack = milliseconds(40);
constexpr std::int64_t kStartDelay = milliseconds(700);
constexpr std::int64_t kAudioFrames = 3;  // in a PES packet
constexpr std::int64_t kFrameMillisecondsAudio = 24;
constexpr int kAudioDistance = 4;    // packets between two on one audio PID: below 2 Mbit/s
constexpr int kSectionDistance = 8;  // below 1 Mbit/s on a PID
constexpr std::int64_t kRefreshPeriod = milliseconds(50);

constexpr std::uint16_t kNitPid = 0x10;
constexpr std::uint16_t kSdtPid = 0x11;
constexpr std::uint16_t kEitPid = 0x12;
constexpr std::uint16_t kTdtPid = 0x14;

std::int64_t pcr_of(std::int64_t packet) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(packet) * kTicksPerPacket % kPcrModulus);
}
std::int64_t pts_of(std::int64_t milliseconds_of) { return milliseconds_of * 90 % kPtsModulus; }
std::int64_t seconds_of(std::int64_t packet) { return packet / kPacketsPerSecond; }

/// The first multiple of `step` at or after `value`, divided by `step`.
std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step; }

std::string clock_minutes(std::int64_t local) {
  const int minute = static_cast<int>((local / 60) % 1440);
  char text[8];
  std::snprintf(text, sizeof text, "%02d:%02d", minute / 60 % 24, minute % 60);
  return text;
}

Caption caption_of(const Schedule::Pair& pair, std::int64_t time, const UtcOffset& utc_offset) {
  const auto local = [&](std::int64_t at) { return clock_minutes(at + utc_offset(at)); };
  Caption caption;
  caption.times = local(pair.present.start) + " – " + local(pair.present.end);
  caption.title = pair.present.title;
  caption.subtitle = pair.present.subtitle;
  caption.next_time = local(pair.following.start);
  caption.next_title = pair.following.title;
  // In steps of ten seconds, so that the bar is not painted more often.
  const std::int64_t elapsed = (time - pair.present.start) / 10 * 10;
  const std::int64_t duration = std::max<std::int64_t>(1, pair.present.end - pair.present.start);
  caption.elapsed = static_cast<double>(elapsed) / static_cast<double>(duration);
  return caption;
}

}  // namespace

struct Multiplexer::Service {
  Service(const LineupEntry& entry, UtcOffset utc_offset) : lineup(entry), schedule(entry, std::move(utc_offset)) {}

  const LineupEntry& lineup;
  Schedule schedule;
  std::size_t present_group = 0;
  std::size_t schedule_group = 0;
  int present_id = -1;             // event whose present/following sections are in the carousel
  std::int64_t schedule_day = -1;  // UTC day of the schedule sections
};

struct Multiplexer::Stream {
  explicit Stream(std::uint16_t pid) : output(pid) {}

  ElementaryOutput output;
  std::unique_ptr<VideoChannel> video;
  std::unique_ptr<AudioLoop> audio;
  std::int64_t next_unit = 0;  // number of the next picture or audio frame
  std::int64_t deadline = 0;   // of the unit in progress
  std::int64_t free_at = INT64_MIN;
  bool carries_pcr = false;
  bool discontinuity = false;
  std::int64_t last_pcr = 0;

  std::int64_t unit_time() const {
    return milliseconds(next_unit * (video ? kFrameMilliseconds : kFrameMillisecondsAudio));
  }

  void restart(std::int64_t now) {
    const std::int64_t start = (now + kStartDelay) / kPerMillisecond;
    next_unit = round_up(start, video ? kFrameMilliseconds : kFrameMillisecondsAudio);
    free_at = now;
    last_pcr = now;
  }
};

Multiplexer::Multiplexer(std::int64_t first, UtcOffset utc_offset)
    : utc_offset_(std::move(utc_offset)), now_(first), carousel_(kSectionDistance) {
  int place = 0;
  for (const LineupEntry& entry : lineup()) {
    Service& service = *services_.emplace_back(std::make_unique<Service>(entry, utc_offset_));
    if (!entry.radio()) {
      Stream& stream = *streams_.emplace_back(std::make_unique<Stream>(entry.video_pid));
      OnAir on_air;
      on_air.utc_offset = utc_offset_;
      on_air.caption = [this, &service](std::int64_t time) {
        return caption_of(service.schedule.at(time), time, utc_offset_);
      };
      if (entry.motif == Motif::globe) {
        on_air.ticker = [text = service.schedule.headlines()](std::int64_t) { return text; };
      }
      stream.video = std::make_unique<VideoChannel>(entry, std::move(on_air), place++ * kGroupFrames / 6);
      stream.carries_pcr = true;
    }
    for (const AudioTrack& track : entry.audio) {
      Stream& stream = *streams_.emplace_back(std::make_unique<Stream>(track.pid));
      stream.audio = std::make_unique<AudioLoop>(tune(track.tune), track.format);
      stream.carries_pcr = track.pid == entry.pcr_pid();
    }
  }
  for (const auto& stream : streams_) stream->restart(now_);
  add_tables();
}

Multiplexer::~Multiplexer() = default;

/// Repetition rates: ISO/IEC 13818-1 and TS 101 211 §4.4 require 100 ms (PAT, PMT), 10 s (NIT, BAT, SDT other), 2 s
/// (SDT, EIT present/following), 30 s (TDT, TOT). With a guide cycle of 12 s a new receiver is complete quickly.
void Multiplexer::add_tables() {
  const auto add = [this](std::uint16_t pid, std::int64_t period, std::vector<Section> sections) {
    const std::size_t group = carousel_.add_group(pid, milliseconds(period), now_);
    carousel_.replace(group, std::move(sections));
    return group;
  };
  add(0x0000, 90, pat_sections());
  for (const auto& service : services_) add(service->lineup.pmt_pid, 90, pmt_sections(service->lineup));
  add(kSdtPid, 1000, sdt_actual_sections());
  add(kSdtPid, 5000, sdt_other_sections());
  add(kNitPid, 2000, nit_sections());
  add(kSdtPid, 5000, bat_sections());
  tdt_group_ = add(kTdtPid, 2000, {});
  tot_group_ = add(kTdtPid, 5000, {});
  for (const auto& service : services_) service->present_group = add(kEitPid, 1000, {});
  for (const auto& service : services_) service->schedule_group = add(kEitPid, 12000, {});
}

/// One service at a time, so that no packet waits for the whole guide.
void Multiplexer::refresh_tables() {
  const std::int64_t time = seconds_of(now_);
  if (carousel_.due(tdt_group_, now_ + kRefreshPeriod)) carousel_.replace(tdt_group_, tdt_sections(time));
  if (carousel_.due(tot_group_, now_ + kRefreshPeriod)) carousel_.replace(tot_group_, tot_sections(time, utc_offset_));
  for (const auto& service : services_) {
    const int present = service->schedule.at(time).present.id;
    if (present == service->present_id) continue;
    service->present_id = present;
    carousel_.replace(service->present_group, present_following_sections(service->lineup, service->schedule, time));
  }
  Service& service = *services_[refreshed_];
  refreshed_ = (refreshed_ + 1) % services_.size();
  if (service.schedule_day != time / 86400) {
    service.schedule_day = time / 86400;
    carousel_.replace(service.schedule_group, schedule_sections(service.lineup, service.schedule, time));
  }
}

void Multiplexer::begin_units() {
  for (const auto& stream : streams_) {
    if (!stream->output.idle()) continue;
    const std::int64_t time = stream->unit_time();
    if (now_ < time - (stream->video ? kVideoAhead : kAudioAhead)) continue;
    scratch_.clear();
    const std::int64_t pts = pts_of(time / kPerMillisecond);
    if (stream->video) {
      const bool intra = stream->video->append_frame(stream->next_unit++, scratch_);
      stream->output.begin(0xE0, pts, intra, scratch_);
      stream->deadline = time - kVideoSlack;
    } else {
      for (int i = 0; i < kAudioFrames; ++i) stream->audio->append_frame(stream->next_unit++, scratch_);
      stream->output.begin(0xC0, pts, true, scratch_);
      stream->deadline = time - kAudioSlack;
    }
  }
}

Multiplexer::Stream* Multiplexer::urgent_stream(std::int64_t& deadline) {
  Stream* urgent = nullptr;
  for (const auto& stream : streams_) {
    if (stream->output.idle() || stream->free_at > now_ || stream->deadline >= deadline) continue;
    deadline = stream->deadline;
    urgent = stream.get();
  }
  return urgent;
}

void Multiplexer::write(std::uint8_t* packet) {
  if (jump_to_ && std::ranges::all_of(streams_, [](const auto& stream) { return stream->output.idle(); })) {
    go_on_at(*std::exchange(jump_to_, std::nullopt));
  }
  if (now_ % kRefreshPeriod == 0 || services_.front()->present_id < 0) refresh_tables();
  if (!jump_to_) begin_units();
  const std::int64_t pcr = pcr_of(now_);

  for (const auto& stream : streams_) {
    if (!stream->carries_pcr || now_ < stream->last_pcr + kPcrPeriod) continue;
    stream->last_pcr = now_;
    const bool discontinuity = std::exchange(stream->discontinuity, false);
    if (stream->output.idle() || stream->free_at > now_) {
      stream->output.write_pcr_only(packet, pcr, discontinuity);
    } else {
      stream->output.write(packet, pcr, discontinuity);
    }
    ++now_;
    return;
  }

  std::int64_t deadline = carousel_.deadline(now_);
  if (Stream* stream = urgent_stream(deadline)) {
    const bool take_pcr = stream->carries_pcr && now_ >= stream->last_pcr + kPcrSoon;
    if (take_pcr) stream->last_pcr = now_;
    stream->output.write(packet, take_pcr ? pcr : -1, take_pcr && std::exchange(stream->discontinuity, false));
    if (stream->audio) stream->free_at = now_ + kAudioDistance;
  } else if (deadline != Carousel::kNothing) {
    std::memcpy(packet, carousel_.take(now_).data(), kPacketSize);
  } else {
    write_null_packet(std::span<std::uint8_t, kPacketSize>(packet, kPacketSize));
  }
  ++now_;
}

void Multiplexer::go_on_at(std::int64_t first) {
  now_ = first;
  carousel_.restart(now_);
  for (const auto& stream : streams_) {
    stream->restart(now_);
    stream->discontinuity = stream->carries_pcr;
  }
  for (const auto& service : services_) service->present_id = -1;
}

}  // namespace receiverd::dvb::demo
