#include "dvb/loop_survey.h"

#include <algorithm>
#include <cstdlib>

#include "dvb/packets/continuity.h"
#include "dvb/packets/random_access.h"
#include "dvb/packets/section_assembler.h"

namespace receiverd::dvb {

namespace {

constexpr std::int64_t kSystemTicksPerPtsTick = 300;
/// stream_id of AC-3, E-AC-3 and DTS, among others (ISO/IEC 13818-1 table 2-22).
constexpr std::uint8_t kPrivateStream1 = 0xBD;
constexpr std::int64_t kSecond = static_cast<std::int64_t>(kSystemClockFrequency);
/// Clocks no further apart than this, in 27 MHz ticks, are one time base.
constexpr std::int64_t kNearClocks = 10 * kSecond;
/// How far a stream may run past the end of its clock, in 27 MHz ticks; more is a jump inside the file.
constexpr std::int64_t kMaxStretch = 2 * kSecond;
/// Largest credible duration of an access unit of video or audio, in 90 kHz ticks.
constexpr std::int64_t kMaxUnitDuration = kSecond / 5 / kSystemTicksPerPtsTick;

/// Tracks where the current section started: if it is incomplete at the end of the file, it is cut from there.
class SectionTracker : private SectionHandler {
 public:
  void push(Packet packet, Continuity continuity, std::uint64_t position) {
    if (continuity == Continuity::duplicate || continuity == Continuity::no_payload) return;
    assembler_.push(packet, continuity, *this);
    const std::size_t partial = assembler_.partial();
    // If the section began in an earlier packet, it already has more bytes than this packet's payload.
    if (partial == 0 || partial > packet.payload().size()) return;
    position_ = position;
    offset_ = static_cast<std::uint8_t>(kPacketSize - partial);
  }

  bool under_way() const { return assembler_.partial() != 0; }
  std::uint64_t position() const { return position_; }
  std::uint8_t offset() const { return offset_; }

 private:
  void section(wire::Bytes /*section*/, std::uint16_t /*pid*/) override {}

  SectionErrors errors_;
  SectionAssembler assembler_{errors_};
  std::uint64_t position_ = 0;
  std::uint8_t offset_ = 0;
};

/// Tracks the current PES packet and the decoding time of the last complete one.
class PesTracker {
 public:
  void push(Packet packet, std::uint64_t position) {
    if (const auto head = read_pes_head(packet)) {
      if (under_way_) complete();
      under_way_ = true;
      position_ = position;
      head_ = *head;
      received_bytes_ = 0;
    }
    if (!under_way_ || !packet.has_payload()) return;
    received_bytes_ += packet.payload().size();
    last_packet_stuffed_ = packet.has_adaptation_field();
  }

  /// Call at the end of the file. Returns true if the last PES packet is incomplete.
  bool finish() {
    if (!under_way_) return false;
    const bool whole = head_.length == 0 ? last_packet_stuffed_ : received_bytes_ >= 6 + std::size_t{head_.length};
    if (whole) complete();
    return !whole;
  }

  std::uint64_t position() const { return position_; }
  /// The next expected DTS, in 90 kHz ticks (modulo kPtsModulus), after the last complete PES packet of video or audio.
  std::optional<std::uint64_t> next_dts() const { return next_dts_; }

 private:
  void complete() {
    if (!head_.dts) return;
    const bool has_steady_dts = head_.is_video() || head_.is_audio() || head_.stream_id == kPrivateStream1;
    if (last_dts_ && has_steady_dts) {
      const std::int64_t step = pts_difference(*head_.dts, *last_dts_);
      if (step > 0) {
        unit_duration_ = std::min(step, kMaxUnitDuration);
        // Audio: the duration scales with the number of bytes.
        if (!head_.is_video() && head_.length != 0 && last_length_ != 0)
          unit_duration_ = unit_duration_ * head_.length / last_length_;
      }
    }
    last_dts_ = head_.dts;
    last_length_ = head_.length;
    if (has_steady_dts)
      next_dts_ = (*head_.dts + static_cast<std::uint64_t>(std::min(unit_duration_, kMaxUnitDuration))) % kPtsModulus;
  }

  bool under_way_ = false;
  bool last_packet_stuffed_ = false;
  std::uint64_t position_ = 0;
  PesHead head_;
  std::size_t received_bytes_ = 0;
  std::optional<std::uint64_t> last_dts_;
  std::uint16_t last_length_ = 0;
  std::int64_t unit_duration_ = 0;
  std::optional<std::uint64_t> next_dts_;
};

}  // namespace

struct LoopSurvey::Stream {
  /// A PCR and its position.
  struct Clock {
    std::uint64_t ticks = 0;
    std::uint64_t position = 0;
  };
  /// A payload_unit_start.
  struct Start {
    std::uint64_t position = 0;
    std::optional<std::uint64_t> dts;
  };

  // Head window.
  enum class Kind : std::uint8_t { unknown, pes, sections } kind = Kind::unknown;
  std::optional<Start> first;
  std::optional<Start> candidate;      // of video, being tested
  std::optional<Start> random_access;  // the first one of video
  RandomAccessDetector detector;
  std::uint64_t head_pcrs = 0;
  std::optional<Clock> first_pcr;
  Clock last_head_pcr;
  // Consecutive PCRs of the head window: ticks and packets, for the rate.
  std::uint64_t steady_ticks = 0;
  std::uint64_t steady_packets = 0;
  // Tail window.
  ContinuityCounter continuity;
  PesTracker pes;
  std::unique_ptr<SectionTracker> sections;
  std::optional<Clock> last_pcr;

  const std::optional<Start>& begin() const { return random_access ? random_access : first; }
  /// Whether there is a PCR in both windows.
  bool has_clock() const { return first_pcr && last_pcr; }
};

LoopSurvey::LoopSurvey() : streams_(kPidCount) {}
LoopSurvey::~LoopSurvey() = default;

LoopSurvey::Stream& LoopSurvey::stream(std::uint16_t pid) {
  if (!streams_[pid]) streams_[pid] = std::make_unique<Stream>();
  return *streams_[pid];
}

namespace {

/// UTC_time of a TDT or TOT that lies completely in a packet (EN 300 468 §5.2.5).
std::optional<wire::UnixSeconds> broadcast_time_in(Packet packet) {
  if (packet.pid() != pid::kTdtTot || !packet.payload_unit_start()) return std::nullopt;
  wire::Cursor cursor(packet.payload());
  cursor.skip(cursor.u8());
  const std::uint8_t table = cursor.u8();
  cursor.skip(2);
  const std::uint64_t time = cursor.u40();
  if (!cursor.ok() || (table != table_id::kTdt && table != table_id::kTot)) return std::nullopt;
  return wire::mjd_time(time);
}

}  // namespace

void LoopSurvey::head_packet(Packet packet) {
  const std::uint64_t position = head_packets_++;
  if (packet.transport_error() || packet.pid() == kNullPid) return;
  if (const auto utc = broadcast_time_in(packet); utc && !first_time_) first_time_ = {position, *utc};
  Stream& one = stream(packet.pid());
  if (const auto pcr = packet.pcr()) {
    const std::int64_t step = pcr_difference(*pcr, one.last_head_pcr.ticks);
    if (one.head_pcrs++ == 0) {
      one.first_pcr = {*pcr, position};
    } else if (step > 0 && step <= kSecond) {
      one.steady_ticks += static_cast<std::uint64_t>(step);
      one.steady_packets += position - one.last_head_pcr.position;
    }
    one.last_head_pcr = {*pcr, position};
  }
  if (packet.payload_unit_start() && packet.scrambling_control() == 0 && !packet.payload().empty()) {
    const auto head = read_pes_head(packet);
    const Stream::Start start{position, head ? head->dts : std::nullopt};
    if (!one.first) {
      one.first = start;
      one.kind = head ? Stream::Kind::pes : Stream::Kind::sections;
    }
    if (head && head->is_video() && !one.random_access) {
      one.candidate = start;
      one.detector.begin(VideoCodec::unknown, true);
    }
  }
  if (!one.candidate || !packet.has_payload() || packet.scrambling_control() != 0) return;
  const auto verdict = one.detector.push(packet);
  if (verdict == RandomAccessDetector::Verdict::undecided) return;
  if (verdict == RandomAccessDetector::Verdict::yes) one.random_access = one.candidate;
  one.candidate.reset();
}

void LoopSurvey::tail_packet(Packet packet) {
  const std::uint64_t position = tail_packets_++;
  if (packet.transport_error() || packet.pid() == kNullPid) return;
  if (const auto utc = broadcast_time_in(packet)) last_time_ = {position, *utc};
  Stream& one = stream(packet.pid());
  if (const auto pcr = packet.pcr()) one.last_pcr = {*pcr, position};
  const Continuity continuity = one.continuity.check(packet);
  if (packet.scrambling_control() != 0) return;
  if (one.kind == Stream::Kind::pes) one.pes.push(packet, position);
  if (one.kind != Stream::Kind::sections) return;
  if (!one.sections) one.sections = std::make_unique<SectionTracker>();
  one.sections->push(packet, continuity, position);
}

void LoopSurvey::finish(std::uint64_t packets_between) {
  packets_between_ = packets_between;
  const std::uint64_t total = packets_between + tail_packets_;
  std::uint64_t max_pcrs = 0;
  for (std::size_t pid = 0; pid < streams_.size(); ++pid) {
    if (!streams_[pid] || streams_[pid]->head_pcrs <= max_pcrs) continue;
    max_pcrs = streams_[pid]->head_pcrs;
    clock_pid_ = static_cast<std::uint16_t>(pid);
  }
  find_ticks_per_packet();

  seams_.assign(kPidCount, Seam{});
  for (std::size_t pid = 0; pid < streams_.size(); ++pid) {
    if (!streams_[pid]) continue;
    Stream& one = *streams_[pid];
    Seam& seam = seams_[pid];
    if (one.begin()) seam.begin = one.begin()->position;
    if (one.kind == Stream::Kind::pes && one.pes.finish()) seam.end = one.pes.position();
    if (one.sections && one.sections->under_way()) {
      seam.cut = one.sections->position();
      seam.cut_offset = one.sections->offset();
    }
  }
  find_advances(total);
  streams_.clear();
}

void LoopSurvey::find_ticks_per_packet() {
  constexpr std::uint64_t kBits = kPacketSize * 8;
  if (clock_pid_ != kNullPid && streams_[clock_pid_]->steady_packets != 0) {
    const Stream& clock = *streams_[clock_pid_];
    ticks_per_packet_ = clock.steady_ticks / clock.steady_packets;
  } else if (first_time_ && last_time_ && last_time_->utc >= first_time_->utc + 2 &&
             packets_between_ + last_time_->position > first_time_->position) {
    // No PCR, but a broadcast clock: accurate to a second.
    const std::uint64_t packets = packets_between_ + last_time_->position - first_time_->position;
    ticks_per_packet_ =
        static_cast<std::uint64_t>(last_time_->utc - first_time_->utc) * kSystemClockFrequency / packets;
  } else {
    ticks_per_packet_ = kSystemClockFrequency * kBits / kDefaultRate;
  }
  // 10 kbit/s to 1 Gbit/s.
  ticks_per_packet_ = std::clamp(ticks_per_packet_, kSystemClockFrequency * kBits / 1'000'000'000,
                                 kSystemClockFrequency * kBits / 10'000);
}

void LoopSurvey::find_advances(std::uint64_t total) {
  const auto whole_pts_ticks = [](std::uint64_t ticks) {
    return ticks / kSystemTicksPerPtsTick * kSystemTicksPerPtsTick % kPcrModulus;
  };
  // How far a clock has to advance so that it continues past the end of the file, in 27 MHz ticks.
  const auto advance_of = [&](const Stream& one) {
    // Packets from the last PCR across the seam to the first.
    const std::uint64_t around = one.first_pcr->position + (tail_packets_ - one.last_pcr->position);
    return whole_pts_ticks((one.last_pcr->ticks + kPcrModulus - one.first_pcr->ticks + around * ticks_per_packet_) %
                           kPcrModulus);
  };
  const bool has_clock = clock_pid_ != kNullPid && streams_[clock_pid_]->has_clock();
  advance_ = has_clock ? advance_of(*streams_[clock_pid_]) : whole_pts_ticks(total * ticks_per_packet_);

  // The clock of a stream is the one closest to its first DTS.
  const auto clock_of = [&](const Stream& one) -> const Stream* {
    const Stream* nearest = nullptr;
    std::int64_t distance = kNearClocks;
    if (!one.first || !one.first->dts) return nullptr;
    for (const auto& other : streams_) {
      if (!other || !other->has_clock()) continue;
      const std::int64_t apart =
          std::abs(pcr_difference(*one.first->dts * kSystemTicksPerPtsTick, other->first_pcr->ticks));
      if (apart >= distance) continue;
      distance = apart;
      nearest = other.get();
    }
    return nearest;
  };

  // All advances grow by the same amount, so that the programs stay in step.
  std::int64_t stretch = 0;
  for (std::size_t pid = 0; pid < streams_.size(); ++pid) {
    seams_[pid].advance = advance_;
    if (!streams_[pid]) continue;
    const Stream& one = *streams_[pid];
    const Stream* const clock = one.has_clock() ? &one : clock_of(one);
    if (clock != nullptr) {
      const std::uint64_t own = advance_of(*clock);
      // If it is almost the same as the reference, the reference is used, so that the programs never drift apart.
      if (std::abs(pcr_difference(own, advance_)) > kMaxStretch) seams_[pid].advance = own;
    }
    const auto next = one.pes.next_dts();
    if (!one.begin() || !one.begin()->dts || !next) continue;
    const std::uint64_t needed = (*next + kPtsModulus - *one.begin()->dts) % kPtsModulus * kSystemTicksPerPtsTick;
    const std::int64_t missing = pcr_difference(needed, seams_[pid].advance);
    if (missing > 0 && missing <= kMaxStretch) stretch = std::max(stretch, missing);
  }
  advance_ = whole_pts_ticks(advance_ + static_cast<std::uint64_t>(stretch));
  for (Seam& seam : seams_) seam.advance = whole_pts_ticks(seam.advance + static_cast<std::uint64_t>(stretch));
}

}  // namespace receiverd::dvb
