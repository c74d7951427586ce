// Packets of a recording to pictures, time and present event; and PES packets made contiguous.
//
// The first byte selects the chunk size, and a codec with which the packets are also read without tables.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "recording/incomplete_units.h"
#include "recording/pes_order.h"
#include "recording/recorded_stream.h"

namespace {

using namespace receiverd;

/// Entries must ascend and lie in the file.
class Sink final : public recording::PictureSink {
 public:
  explicit Sink(wire::Bytes file) : file_(file) {}
  void access_point(std::uint64_t offset, std::uint64_t pts) override {
    if (offset % dvb::kPacketSize != 0 || offset >= file_.size() || pts >> 33 != 0) std::abort();
    if (any_point_ && offset <= point_) std::abort();
    any_point_ = true;
    point_ = offset;
  }
  void structure(std::uint64_t offset, std::uint64_t data) override {
    if (offset >= file_.size() || (data & 0x7E000000) != 0) std::abort();
    if (any_entry_ && offset <= entry_) std::abort();
    any_entry_ = true;
    entry_ = offset;
  }

 private:
  wire::Bytes file_;
  bool any_point_ = false;
  bool any_entry_ = false;
  std::uint64_t point_ = 0;
  std::uint64_t entry_ = 0;
};

/// The packets sorted by PID, and in order within a PID.
std::vector<std::uint8_t> sorted(wire::Bytes packets) {
  std::vector<dvb::Packet> all;
  for (std::size_t at = 0; at < packets.size(); at += dvb::kPacketSize) all.emplace_back(packets.data() + at);
  std::ranges::stable_sort(all, {}, &dvb::Packet::pid);
  std::vector<std::uint8_t> bytes;
  for (const dvb::Packet packet : all) bytes.insert(bytes.end(), packet.bytes().begin(), packet.bytes().end());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = (std::size_t{data[0]} % 16 + 1) * dvb::kPacketSize;
  const auto codec = static_cast<dvb::VideoCodec>(data[0] >> 4 & 3);
  const wire::Bytes file = wire::Bytes(data + 1, (size - 1) / dvb::kPacketSize * dvb::kPacketSize);
  {
    Sink sink(file);
    recording::RecordedStream stream(sink);
    for (std::size_t at = 0; at < file.size(); at += piece) {
      stream.take(file.subspan(at, std::min(piece, file.size() - at)), at);
      if (data[0] == 0xFF) stream.mark_interrupted();
    }
    if (stream.totals().packets * dvb::kPacketSize != file.size()) std::abort();
  }
  Sink sink(file);
  recording::PictureIndex index(sink);
  index.begin(codec);
  for (std::size_t at = 0; at < file.size(); at += dvb::kPacketSize) {
    index.push(dvb::Packet(file.data() + at), at);
  }
  recording::PesOrder order;
  std::vector<std::uint8_t> ordered;
  for (std::size_t at = 0; at < file.size(); at += dvb::kPacketSize) {
    order.push(dvb::Packet(file.data() + at), ordered);
    if (ordered.size() > at + dvb::kPacketSize) std::abort();
  }
  order.flush(ordered);
  if (sorted(ordered) != sorted(file)) std::abort();
  std::vector<std::uint8_t> tail(file.begin(), file.end());
  const std::size_t changed = recording::blank_incomplete_units(tail);
  if (changed % dvb::kPacketSize != 0 || changed > tail.size()) std::abort();
  if (!std::equal(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(changed), file.begin())) std::abort();
  return 0;
}
