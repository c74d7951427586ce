// Finds transport packets in a stream of bytes.
//
// A packet starts every 188 bytes, or every 192 (a time stamp before each, as in .m2ts) or 204 (Reed-Solomon bytes
// after each). The reader locks once it sees kLockPackets sync bytes at one of these distances. Once locked it returns
// runs of packets in place in the caller's chunk, without copying. Only packets that are split between two chunks, and
// bytes that are searched for a lock, are copied into a small buffer of fixed size.
//
// A packet without its sync byte ends the lock. If the packets continue at the same distance, the lock is restored one
// packet later; otherwise it is searched for. Bytes outside any packet are counted.
//
//   reader.feed(chunk);
//   for (wire::Bytes packets; !(packets = reader.next()).empty();) demux.feed(packets);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dvb/packets/packet.h"
#include "wire/bytes.h"

namespace receiverd::dvb {

class PacketReader {
 public:
  static constexpr std::size_t kLockPackets = 5;

  struct Counters {
    std::uint64_t packets = 0;
    std::uint64_t skipped_bytes = 0;  ///< outside any packet: before the first lock, and while the lock was lost
    std::uint64_t sync_losses = 0;    ///< a packet started without 0x47
    bool operator==(const Counters&) const = default;
  };

  /// Sets the next bytes of the stream. The chunk must stay alive and unchanged until next() has returned nothing, and
  /// every chunk must be read to that point before the next feed().
  void feed(wire::Bytes chunk) { chunk_ = chunk; }

  /// A run of whole 188-byte packets, or nothing if the chunk is used up. Valid until the next call.
  wire::Bytes next();

  /// Drops bytes held for a lock or for the rest of a packet: after a seek or a change of source.
  void reset();

  /// Bytes fed that follow the last run that next() has returned.
  std::size_t unread_bytes() const { return buffer_end_ - buffer_begin_ + chunk_.size(); }
  /// Distance between packets, 0 while there is no lock.
  std::size_t packet_distance() const { return distance_; }
  const Counters& counters() const { return counters_; }

 private:
  static constexpr std::size_t kBufferSize = 4096;

  wire::Bytes next_from_buffer();
  wire::Bytes next_from_chunk();
  void fill_buffer(std::size_t wanted);
  void lose_lock();
  bool search();

  wire::Bytes chunk_;
  std::array<std::uint8_t, kBufferSize> buffer_{};
  std::size_t buffer_begin_ = 0;  // bytes before it were returned
  std::size_t buffer_end_ = 0;
  std::size_t distance_ = 0;       // 188, 192, 204; 0 without lock
  std::size_t last_distance_ = 0;  // before the lock was lost
  std::size_t gap_ = 0;            // bytes still to skip between two packets
  Counters counters_;
};

}  // namespace receiverd::dvb
