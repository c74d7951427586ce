// Passes the packets of chosen PIDs, or of all, unchanged and in order to any number of readers.
//
// Owned by the tuner thread. Nothing is allocated per packet.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "dvb/packets/packet.h"
#include "dvb/packets/stream_queue.h"

namespace receiverd::dvb {

using PidSet = std::bitset<kPidCount>;

class PidReaders {
 public:
  /// Sets the PIDs of the reader with this queue; adds the reader if it is new.
  void set(std::shared_ptr<StreamQueue> queue, const PidSet& pids);

  /// Takes whole packets.
  void feed(wire::Bytes packets, SteadyTime now);
  /// Call once per batch of packets: flushes the queues and removes readers that have ended.
  void tick(SteadyTime now);
  /// Ends all readers.
  void finish(StreamEnd reason);

  bool empty() const { return readers_.empty(); }
  /// The union of the readers' PIDs. revision() increases whenever it may have changed.
  PidSet pids() const;
  std::uint64_t revision() const { return revision_; }

  /// Whether any reader's queue is at least half full: a source that can wait should do so.
  bool reader_half_full() const;
  void drop_half_full_readers();
  /// Total bytes that the readers have taken from their queues.
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
