// Readers of the multiplex as it is: the packets of chosen PIDs, or all, unchanged and in their order.
//
// Owned by the tuner thread. Nothing is allocated per packet.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "dvb/packet.h"
#include "dvb/stream_queue.h"

namespace receiverd::dvb {

using PidSet = std::bitset<kPidCount>;

class PidReaders {
 public:
  /// Changes what the reader of this queue gets, or begins one.
  void set(std::shared_ptr<StreamQueue> queue, const PidSet& pids);

  /// Takes whole packets.
  void feed(wire::Bytes packets, SteadyTime now);
  /// Call once per batch of packets: lets the queues publish, removes ended readers.
  void tick(SteadyTime now);
  /// Ends all readers.
  void finish(StreamEnd reason);

  bool empty() const { return readers_.empty(); }
  /// The PIDs that any reader gets. revision() goes up whenever they may have changed.
  PidSet pids() const;
  std::uint64_t revision() const { return revision_; }

  /// Some reader's queue is at least half full: a source that can wait should do so.
  bool reader_half_full() const;
  void drop_half_full_readers();
  /// Bytes that the readers have taken.
  std::uint64_t delivered() const;

 private:
  struct Reader {
    std::shared_ptr<StreamQueue> queue;
    PidSet pids;
  };

  std::vector<Reader> readers_;
  std::uint64_t revision_ = 0;
};

}  // namespace receiverd::dvb
