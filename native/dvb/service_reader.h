// One reader of a service: lets packets through to its queue from the points at which decoders can begin.
//
//   PAT, PMT, SDT, EIT, TDT   from the start
//   the (first) video stream  from a random access point; the packets of the access unit in question are held until
//                             random_access.h has decided
//   everything else           from the next payload_unit_start after the video has begun
//
// A decoder that joins at a random access point of an open group of pictures lacks what the pictures shown before that
// point refer to; decoders leave those out by themselves.
//
// The video is waited for kVideoWait at the most, and not at all when it is scrambled: then nobody can see where an
// access unit begins. Owned by the tuner thread.
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

/// What a PID of the service is, and its place in the bookkeeping of every reader.
struct ServicePid {
  enum class Role : std::uint8_t {
    table,  ///< passes at any time
    video,
    stream,     ///< any other PES packets or sections
    clock_only  ///< of another service; only its PCR passes
  };
  static constexpr std::size_t kMaximum = 254;  ///< 1021 bytes of PMT hold at most 202 streams

  std::uint16_t pid = kNullPid;
  Role role = Role::table;
  VideoCodec codec = VideoCodec::unknown;
  std::uint8_t index = 0;  ///< below kMaximum
};

class ServiceReader {
 public:
  static constexpr std::chrono::seconds kVideoWait{3};

  ServiceReader(std::shared_ptr<StreamQueue> queue, SteadyTime now) : queue_(std::move(queue)), waiting_since_(now) {}

  /// PAT and PMT have been sent to this reader, so that others may follow.
  bool started() const { return started_; }
  /// The first packets: PAT, PMT and what else of tables is known. `wait_for_video`: the service has a video stream.
  void start(wire::Bytes tables, bool wait_for_video, SteadyTime now);
  /// The streams of the service have changed: the PIDs in `kept` go on, others begin anew.
  void streams_changed(const std::bitset<ServicePid::kMaximum>& kept, bool wait_for_video, SteadyTime now);

  void table_packets(wire::Bytes packets, SteadyTime now) {
    if (started_) queue_->append(packets, now);
  }
  void packet(Packet packet, const ServicePid& pid, SteadyTime now);

  StreamQueue& queue() { return *queue_; }

 private:
  static constexpr std::size_t kHeldPackets = 24;  // of the access unit that is looked at

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
