// One reader of a service: passes packets to its queue from the points at which decoders can start.
//
//   PAT, PMT, SDT, EIT, TDT   from the start
//   the (first) video stream  from a random access point; the packets of the access unit under test are held until
//                             random_access.h has decided
//   everything else           from the next payload_unit_start after the video has started
//
// A decoder that joins at a random access point of an open group of pictures lacks the references of the pictures shown
// before that point. Decoders drop these pictures themselves.
//
// The reader waits for the video for at most kVideoWait, and not at all if it is scrambled, since the start of an
// access unit is then invisible. Owned by the tuner thread.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dvb/packet.h"
#include "dvb/random_access.h"
#include "dvb/stream_queue.h"

namespace receiverd::dvb {

/// The role of one PID of the service, and its index in the state of every reader.
struct ServicePid {
  enum class Role : std::uint8_t {
    table,  ///< passes at any time
    video,
    stream,     ///< any other PES packets or sections
    clock_only  ///< of another service; only its PCR passes
  };
  static constexpr std::size_t kMaximum = 254;  ///< a PMT of 1021 bytes holds at most 202 streams

  std::uint16_t pid = kNullPid;
  Role role = Role::table;
  VideoCodec codec = VideoCodec::unknown;
  std::uint8_t index = 0;  ///< below kMaximum
};

class ServiceReader {
 public:
  static constexpr std::chrono::seconds kVideoWait{3};

  ServiceReader(std::shared_ptr<StreamQueue> queue, SteadyTime now) : queue_(std::move(queue)), waiting_since_(now) {}

  /// PAT and PMT have been sent to this reader, so other packets may follow.
  bool started() const { return started_; }
  /// Sends the first packets: PAT, PMT and other known tables. `wait_for_video`: the service has a video stream.
  void start(wire::Bytes tables, bool wait_for_video, SteadyTime now);
  /// The streams of the service have changed: the PIDs in `kept` continue, others start anew.
  void streams_changed(const std::bitset<ServicePid::kMaximum>& kept, bool wait_for_video, SteadyTime now);

  void table_packets(wire::Bytes packets, SteadyTime now) {
    if (started_) queue_->append(packets, now);
  }
  void packet(Packet packet, const ServicePid& pid, SteadyTime now);

  StreamQueue& queue() { return *queue_; }

 private:
  static constexpr std::size_t kHeldPackets = 24;  // of the access unit under test

  void video_packet(Packet packet, const ServicePid& pid, SteadyTime now);
  void begin_video(const ServicePid& pid, SteadyTime now);

  std::shared_ptr<StreamQueue> queue_;
  SteadyTime waiting_since_;
  bool started_ = false;
  bool waiting_for_video_ = false;
  std::bitset<ServicePid::kMaximum> begun_;
  RandomAccessDetector detector_;
  std::size_t held_ = 0;  // packets in hold_
  std::array<std::uint8_t, kHeldPackets * kPacketSize> hold_{};
};

}  // namespace receiverd::dvb
