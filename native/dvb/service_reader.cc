#include "dvb/service_reader.h"

#include <cstring>

namespace receiverd::dvb {

void ServiceReader::start(wire::Bytes tables, bool wait_for_video, SteadyTime now) {
  started_ = true;
  waiting_since_ = now;
  waiting_for_video_ = wait_for_video;
  begun_.reset();
  held_ = 0;
  queue_->append(tables, now);
}

void ServiceReader::streams_changed(const std::bitset<ServicePid::kMaximum>& kept, bool wait_for_video,
                                    SteadyTime now) {
  begun_ &= kept;
  waiting_since_ = now;
  held_ = 0;
  // A reader that already gets video must not lose other streams while a new video stream starts.
  waiting_for_video_ = waiting_for_video_ && wait_for_video;
}

void ServiceReader::packet(Packet packet, const ServicePid& pid, SteadyTime now) {
  if (!started_) return;
  if (pid.role == ServicePid::Role::table || pid.role == ServicePid::Role::clock_only || begun_[pid.index]) {
    queue_->append(packet.bytes(), now);
    return;
  }
  if (pid.role == ServicePid::Role::video) {
    video_packet(packet, pid, now);
    return;
  }
  if (waiting_for_video_) {
    if (now - waiting_since_ < kVideoWait) return;
    waiting_for_video_ = false;
  }
  if (packet.payload_unit_start() || packet.scrambling_control() != 0) {
    begun_.set(pid.index);
    queue_->append(packet.bytes(), now);
  }
}

void ServiceReader::video_packet(Packet packet, const ServicePid& pid, SteadyTime now) {
  using Verdict = RandomAccessDetector::Verdict;
  const bool scrambled = packet.scrambling_control() != 0;
  if (packet.payload_unit_start()) {
    held_ = 0;
    detector_.begin(pid.codec);
  } else if (held_ == 0 && !scrambled) {
    return;
  }
  if (held_ == kHeldPackets) {
    held_ = 0;
    return;
  }
  std::memcpy(hold_.data() + held_ * kPacketSize, packet.bytes().data(), kPacketSize);
  ++held_;
  if (scrambled || now - waiting_since_ >= kVideoWait) {
    begin_video(pid, now);
    return;
  }
  switch (detector_.push(packet)) {
    case Verdict::yes:
      begin_video(pid, now);
      break;
    case Verdict::no:
      held_ = 0;
      break;
    case Verdict::undecided:
      break;
  }
}

void ServiceReader::begin_video(const ServicePid& pid, SteadyTime now) {
  begun_.set(pid.index);
  waiting_for_video_ = false;
  queue_->append({hold_.data(), held_ * kPacketSize}, now);
  held_ = 0;
}

}  // namespace receiverd::dvb
