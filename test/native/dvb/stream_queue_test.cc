// Tests of the queue between the tuner thread and a reader: publishing, bounds, ends, threads.
#include "dvb/packets/stream_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace receiverd::dvb;

namespace {

std::array<std::uint8_t, kPacketSize> packet(std::uint32_t number) {
  std::array<std::uint8_t, kPacketSize> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> (i % 4 * 8));
  return bytes;
}

const SteadyTime kNow = std::chrono::steady_clock::now();

}  // namespace

TEST_CASE("The first packets are published at the next flush, later ones after the gather time") {
  StreamQueue queue(StreamQueue::kDefaultMaxBytes, [] {});
  Chunk chunk;
  CHECK(queue.read(chunk) == StreamQueue::Read::nothing);
  queue.append(packet(1), kNow);
  CHECK(queue.read(chunk) == StreamQueue::Read::nothing);
  queue.flush(kNow);
  REQUIRE(queue.read(chunk) == StreamQueue::Read::chunk);
  CHECK(chunk.size == kPacketSize);
  queue.append(packet(2), kNow);
  queue.flush(kNow + StreamQueue::kGatherTime / 2);
  CHECK(queue.read(chunk) == StreamQueue::Read::nothing);
  queue.append(packet(3), kNow + StreamQueue::kGatherTime / 2);
  queue.flush(kNow + StreamQueue::kGatherTime);
  REQUIRE(queue.read(chunk) == StreamQueue::Read::chunk);
  CHECK(chunk.size == 2 * kPacketSize);
  CHECK(queue.counters().delivered == 3 * kPacketSize);
}

TEST_CASE("A reader that found nothing is notified once") {
  int calls = 0;
  StreamQueue queue(StreamQueue::kDefaultMaxBytes, [&] { ++calls; });
  Chunk chunk;
  for (std::uint32_t i = 0; i < 10; ++i) {
    queue.append(packet(i), kNow);
    queue.flush(kNow + i * StreamQueue::kGatherTime);
  }
  CHECK(calls == 0);
  while (queue.read(chunk) == StreamQueue::Read::chunk) {
  }
  CHECK(calls == 0);
  for (std::uint32_t i = 0; i < 5; ++i) {
    queue.append(packet(i), kNow);
    queue.flush(kNow + 2 * StreamQueue::kGatherTime);
  }
  CHECK(calls == 1);
  while (queue.read(chunk) == StreamQueue::Read::chunk) {
  }
  queue.finish(StreamEnd::ended);
  CHECK(calls == 2);
  CHECK(queue.read(chunk) == StreamQueue::Read::end);
}

TEST_CASE("A full queue ends the stream and releases its memory") {
  StreamQueue queue(1 << 20, [] {});
  const auto one = packet(0);
  std::size_t taken = 0;
  while (!queue.ended()) {
    queue.append(one, kNow);
    taken += kPacketSize;
    REQUIRE(taken < (2 << 20));
    CHECK(queue.counters().queued <= 1 << 20);
  }
  CHECK(taken > (1 << 20) - StreamQueue::kChunkSize);
  CHECK(queue.reason() == StreamEnd::overflow);
  CHECK(queue.counters().queued == 0);
  Chunk chunk;
  CHECK(queue.read(chunk) == StreamQueue::Read::end);
  queue.finish(StreamEnd::stopped);
  queue.close();
  CHECK(queue.reason() == StreamEnd::overflow);
}

TEST_CASE("Queued data can be read after finish(), but not after close()") {
  for (const bool close : {false, true}) {
    StreamQueue queue(StreamQueue::kDefaultMaxBytes, [] {});
    queue.append(packet(1), kNow);
    queue.flush(kNow);
    queue.append(packet(2), kNow);
    if (close) {
      queue.close();
    } else {
      queue.finish(StreamEnd::stopped);
    }
    std::size_t size = 0;
    Chunk chunk;
    while (queue.read(chunk) == StreamQueue::Read::chunk) size += chunk.size;
    CHECK(size == (close ? 0 : 2 * kPacketSize));
    CHECK(queue.reason() == (close ? StreamEnd::closed : StreamEnd::stopped));
    CHECK(queue.read(chunk) == StreamQueue::Read::end);
    queue.append(packet(3), kNow);
    queue.flush(kNow + StreamQueue::kGatherTime);
    CHECK(queue.read(chunk) == StreamQueue::Read::end);
  }
}

TEST_CASE("Two threads: every packet arrives, in order, or the stream reports an overflow") {
  constexpr std::uint32_t kPackets = 40'000;
  for (const std::size_t max_bytes : {StreamQueue::kDefaultMaxBytes, std::size_t{0}}) {
    std::atomic<int> calls = 0;
    StreamQueue queue(max_bytes, [&] {
      calls.fetch_add(1);
      calls.notify_one();
    });
    std::thread tuner([&] {
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const auto now = std::chrono::steady_clock::now();
        queue.append(packet(i), now);
        if (i % 64 == 0) queue.flush(now);
        while (max_bytes != 0 && queue.half_full()) std::this_thread::yield();
      }
      queue.finish(StreamEnd::ended);
    });
    std::uint32_t next = 0;
    bool intact = true;
    for (bool end = false; !end;) {
      const int seen = calls.load();
      Chunk chunk;
      switch (queue.read(chunk)) {
        case StreamQueue::Read::chunk:
          for (std::size_t at = 0; at < chunk.size; at += kPacketSize, ++next) {
            const auto expected = packet(next);
            intact = intact && std::equal(expected.begin(), expected.end(), chunk.bytes.get() + at);
          }
          break;
        case StreamQueue::Read::nothing:
          calls.wait(seen);
          break;
        case StreamQueue::Read::end:
          end = true;
          break;
      }
    }
    tuner.join();
    CHECK(intact);
    if (max_bytes != 0) CHECK(next == kPackets);
    if (next != kPackets) CHECK(queue.reason() == StreamEnd::overflow);
  }
}

TEST_CASE("A lossy queue keeps its content, counts what does not fit, and continues when there is room") {
  constexpr std::size_t kPackets = StreamQueue::kChunkSize / kPacketSize;
  StreamQueue queue(
      2 * StreamQueue::kChunkSize, [] {}, WhenFull::lose);
  std::uint32_t number = 0;
  const auto fill = [&](std::size_t chunks) {
    for (std::size_t i = 0; i < chunks * kPackets; ++i) queue.append(packet(number++), kNow);
    queue.flush(kNow + 2 * StreamQueue::kGatherTime);
  };
  fill(5);
  CHECK_FALSE(queue.ended());
  CHECK(queue.counters().queued <= 2 * StreamQueue::kChunkSize);
  CHECK(queue.counters().queued + queue.counters().lost == 5 * StreamQueue::kChunkSize);
  Chunk chunk;
  std::size_t read = 0;
  std::uint32_t next = 0;  // packets arrive in order, with gaps
  while (queue.read(chunk) == StreamQueue::Read::chunk) {
    for (std::size_t at = 0; at < chunk.size; at += kPacketSize, ++read, ++next) {
      while (next < number && std::memcmp(packet(next).data(), chunk.bytes.get() + at, kPacketSize) != 0) ++next;
      REQUIRE(next < number);
    }
  }
  const std::uint64_t lost = queue.counters().lost;
  CHECK(read * kPacketSize == 5 * StreamQueue::kChunkSize - lost);
  fill(1);
  CHECK(queue.counters().lost == lost);
  CHECK(queue.read(chunk) == StreamQueue::Read::chunk);
}

TEST_CASE("After overflow(), sources do not wait for a lossy queue until half of it is free") {
  StreamQueue queue(
      2 * StreamQueue::kChunkSize, [] {}, WhenFull::lose);
  const std::vector<std::uint8_t> much(3 * StreamQueue::kChunkSize);
  queue.append(much, kNow);
  CHECK(queue.half_full());
  queue.overflow();
  CHECK_FALSE(queue.ended());
  CHECK_FALSE(queue.half_full());
  Chunk chunk;
  while (queue.read(chunk) == StreamQueue::Read::chunk) {
  }
  queue.append(much, kNow);
  CHECK(queue.half_full());
}

TEST_CASE("A queue whose input was closed by its reader delivers its content and then ends") {
  StreamQueue queue(StreamQueue::kDefaultMaxBytes, [] {});
  queue.append(packet(1), kNow);
  queue.flush(kNow);
  queue.close_input();
  queue.append(packet(2), kNow);
  queue.flush(kNow + 2 * StreamQueue::kGatherTime);
  Chunk chunk;
  REQUIRE(queue.read(chunk) == StreamQueue::Read::chunk);
  CHECK(chunk.size == kPacketSize);
  CHECK(queue.read(chunk) == StreamQueue::Read::end);
  CHECK(queue.reason() == StreamEnd::closed);
}
