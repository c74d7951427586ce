// Tests of detecting random access points by codec.
#include "dvb/packets/random_access.h"

#include <doctest/doctest.h>

#include <vector>

#include "dvb/made_stream.h"

using namespace receiverd::dvb;

namespace {

using Verdict = RandomAccessDetector::Verdict;
using Bytes = std::vector<std::uint8_t>;

Verdict verdict(VideoCodec codec, Bytes es, bool guess = false, bool indicator = false) {
  MadeStream made;
  es.resize(600, 0x55);
  made.pes({.pid = 0x100, .pts = 1, .random_access = indicator, .bounded = false, .payload = es});
  RandomAccessDetector detector;
  detector.begin(codec, guess);
  for (std::size_t at = 0; at < made.bytes.size(); at += kPacketSize) {
    const Verdict now = detector.push(Packet(made.bytes.data() + at));
    if (now != Verdict::undecided) return now;
  }
  return Verdict::undecided;
}

Bytes after(std::size_t filler, Bytes es) {
  Bytes all(filler, 0x55);
  all.insert(all.end(), es.begin(), es.end());
  return all;
}

}  // namespace

TEST_CASE("Random access points are detected by codec") {
  const auto mpeg2 = VideoCodec::mpeg2;
  CHECK(verdict(mpeg2, {0, 0, 1, 0xB3}) == Verdict::yes);
  CHECK(verdict(mpeg2, {0, 0, 1, 0x00, 0, 0, 1, 0xB3}) == Verdict::no);
  CHECK(verdict(mpeg2, {0, 0, 1, 0xB8, 0, 0, 1, 0x00}) == Verdict::no);
  const auto h264 = VideoCodec::h264;
  const Bytes delimiter = {0, 0, 0, 1, 0x09, 0xF0};
  const auto with_delimiter = [&](Bytes es) {
    es.insert(es.begin(), delimiter.begin(), delimiter.end());
    return es;
  };
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x67, 1})) == Verdict::yes);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x65, 1})) == Verdict::yes);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x41, 1})) == Verdict::no);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x06, 6, 1, 0x80})) == Verdict::yes);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x06, 4, 3, 1, 2, 3, 6, 1, 0x80})) == Verdict::yes);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x06, 4, 3, 6, 1, 3, 0x80, 0, 0, 1, 0x01})) == Verdict::no);
  CHECK(verdict(h264, with_delimiter({0, 0, 1, 0x06, 0xFF, 6, 1, 0, 0, 0, 1, 0x01})) == Verdict::no);
  const auto hevc = VideoCodec::hevc;
  CHECK(verdict(hevc, {0, 0, 1, 0x46, 1, 0, 0, 1, 0x40, 1}) == Verdict::yes);
  CHECK(verdict(hevc, {0, 0, 1, 0x46, 1, 0, 0, 1, 0x2A, 1}) == Verdict::yes);
  CHECK(verdict(hevc, {0, 0, 1, 0x46, 1, 0, 0, 1, 0x02, 1}) == Verdict::no);
  CHECK(verdict(VideoCodec::unknown, {}) == Verdict::yes);
  CHECK(verdict(h264, {0, 0, 1, 0x41}, false, true) == Verdict::yes);
}

TEST_CASE("Start codes are found across packet boundaries") {
  for (std::size_t filler = 140; filler < 200; ++filler) {
    CHECK(verdict(VideoCodec::mpeg2, after(filler, {0, 0, 1, 0xB3})) == Verdict::yes);
    CHECK(verdict(VideoCodec::h264, after(filler, {0, 0, 1, 0x06, 6, 1, 0x80})) == Verdict::yes);
  }
}

TEST_CASE("Without a PMT the codec is guessed from the first start code") {
  const auto guessed = [](Bytes es) { return verdict(VideoCodec::unknown, std::move(es), true); };
  CHECK(guessed({0, 0, 1, 0xB3}) == Verdict::yes);
  CHECK(guessed({0, 0, 1, 0x00}) == Verdict::no);
  CHECK(guessed({0, 0, 1, 0x09, 0xF0, 0, 0, 1, 0x67}) == Verdict::yes);
  CHECK(guessed({0, 0, 1, 0x09, 0xF0, 0, 0, 1, 0x41}) == Verdict::no);
  CHECK(guessed({0, 0, 1, 0x46, 1, 0, 0, 1, 0x40, 1}) == Verdict::yes);
  CHECK(guessed({0, 0, 1, 0x46, 1, 0, 0, 1, 0x02, 1}) == Verdict::no);
}
