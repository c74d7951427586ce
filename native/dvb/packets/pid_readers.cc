#include "dvb/packets/pid_readers.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {

void PidReaders::set(std::shared_ptr<StreamQueue> queue, const PidSet& pids) {
  ++revision_;
  const auto known = std::ranges::find(readers_, queue, &Reader::queue);
  if (known != readers_.end()) {
    known->pids = pids;
  } else {
    readers_.push_back({std::move(queue), pids});
  }
}

void PidReaders::feed(wire::Bytes packets, SteadyTime now) {
  const std::size_t size = packets.size() / kPacketSize * kPacketSize;
  for (const Reader& reader : readers_) {
    // Contiguous packets are appended in one call.
    std::size_t begin = 0;
    for (std::size_t at = 0; at < size; at += kPacketSize) {
      if (reader.pids[Packet(packets.data() + at).pid()]) continue;
      if (begin < at) reader.queue->append(packets.subspan(begin, at - begin), now);
      begin = at + kPacketSize;
    }
    if (begin < size) reader.queue->append(packets.subspan(begin, size - begin), now);
  }
}

void PidReaders::tick(SteadyTime now) {
  for (const Reader& reader : readers_) reader.queue->flush(now);
  if (std::erase_if(readers_, [](const Reader& reader) { return reader.queue->ended(); }) > 0) ++revision_;
}

void PidReaders::finish(StreamEnd reason) {
  for (const Reader& reader : readers_) reader.queue->finish(reason);
  readers_.clear();
}

PidSet PidReaders::pids() const {
  PidSet all;
  for (const Reader& reader : readers_) all |= reader.pids;
  return all;
}

bool PidReaders::reader_half_full() const {
  return std::ranges::any_of(readers_, [](const Reader& reader) { return reader.queue->half_full(); });
}

void PidReaders::drop_half_full_readers() {
  for (const Reader& reader : readers_) {
    if (reader.queue->half_full()) reader.queue->overflow();
  }
}

std::uint64_t PidReaders::delivered() const {
  std::uint64_t sum = 0;
  for (const Reader& reader : readers_) sum += reader.queue->counters().delivered;
  return sum;
}

}  // namespace receiverd::dvb
