// Tests of receiving multicast groups, over the loopback interface.
#include "rtp/multicast_source.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "waits.h"

using namespace receiverd;
using namespace receiverd::rtp;

namespace {

constexpr const char* kGroup = "239.255.77.1";

std::vector<std::uint8_t> transport_packet(std::uint8_t mark) {
  std::vector<std::uint8_t> bytes(188, 0xff);
  bytes[0] = 0x47;
  bytes[1] = mark;
  return bytes;
}

std::vector<std::uint8_t> rtp_packet(std::uint16_t sequence) {
  std::vector<std::uint8_t> bytes = {0x80, 33, static_cast<std::uint8_t>(sequence >> 8),
                                     static_cast<std::uint8_t>(sequence)};
  bytes.resize(12);
  const auto payload = transport_packet(static_cast<std::uint8_t>(sequence));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

/// Sends to groups from the loopback interface.
struct Sender {
  Socket socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};

  Sender() {
    const in_addr loopback{htonl(INADDR_LOOPBACK)};
    REQUIRE(setsockopt(socket.number(), IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) == 0);
  }
  void send(const std::vector<std::uint8_t>& bytes, std::uint16_t port, const char* group = kGroup) const {
    const auto to = address_of(group, port);
    REQUIRE(::sendto(socket.number(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to->bytes),
                     to->size) == static_cast<ssize_t>(bytes.size()));
  }
};

/// A port that is free now.
std::uint16_t free_port() { return open_udp_pair(*address_of("127.0.0.1", 0)).port; }

/// The marks of the received packets, once there are `count`.
std::vector<std::uint8_t> marks(MulticastSource& source, std::size_t count) {
  std::vector<std::uint8_t> found;
  std::vector<std::uint8_t> buffer(64 * 188);
  REQUIRE(wait_for([&] {
    const auto result = source.read(buffer);
    for (std::size_t at = 0; at < result.size; at += 188) found.push_back(buffer[at + 1]);
    return found.size() >= count;
  }));
  return found;
}

using Marks = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("Transport packets in UDP are received from the group, and not from another group on its port" *
          doctest::test_suite("multicast")) {
  const std::uint16_t port = free_port();
  MulticastSource source({.group = kGroup, .port = port, .interface = "lo"});
  MulticastSource other({.group = "239.255.77.2", .port = port, .interface = "lo"});
  std::vector<std::uint8_t> buffer(188);
  // The first read joins.
  CHECK(source.read(buffer).state == dvb::ReadResult::State::idle);
  CHECK(other.read(buffer).state == dvb::ReadResult::State::idle);
  CHECK_FALSE(source.signal().locked);
  const Sender sender;
  sender.send(transport_packet(9), port, "239.255.77.2");
  sender.send(transport_packet(1), port);
  sender.send(transport_packet(2), port);
  CHECK(marks(source, 2) == Marks{1, 2});
  CHECK(source.signal().locked);
  CHECK(marks(other, 1) == Marks{9});
}

TEST_CASE("RTP packets are put back into order" * doctest::test_suite("multicast")) {
  const std::uint16_t port = free_port();
  MulticastSource source({.group = kGroup, .port = port, .interface = "lo"});
  std::vector<std::uint8_t> buffer(188);
  source.read(buffer);
  const Sender sender;
  for (const std::uint16_t sequence : {1, 3, 2, 4}) sender.send(rtp_packet(sequence), port);
  sender.send({1, 2, 3}, port);
  CHECK(marks(source, 4) == Marks{1, 2, 3, 4});
  CHECK(source.network().reordered == 1);
  CHECK(wait_for([&] {
    source.read(buffer);
    return source.network().refused == 1;
  }));
}

TEST_CASE("A source-specific group is received only from its sender" * doctest::test_suite("multicast")) {
  const std::uint16_t port = free_port();
  MulticastSource source({.group = "232.255.77.1", .port = port, .sender = "127.0.0.1", .interface = "lo"});
  MulticastSource deaf({.group = "232.255.77.1", .port = port, .sender = "192.0.2.1", .interface = "lo"});
  std::vector<std::uint8_t> buffer(188);
  source.read(buffer);
  deaf.read(buffer);
  const Sender sender;
  sender.send(transport_packet(5), port, "232.255.77.1");
  CHECK(marks(source, 1) == Marks{5});
  CHECK(deaf.read(buffer).size == 0);
}

TEST_CASE("A group that cannot be joined is reported") {
  std::vector<std::uint8_t> buffer(188);
  const auto error_of = [&](const MulticastOptions& options) {
    MulticastSource source(options);
    CHECK(source.read(buffer).state == dvb::ReadResult::State::failed);
    return source.error();
  };
  CHECK(error_of({.group = kGroup, .port = 5000, .interface = "none9"}) ==
        "239.255.77.1: there is no interface 'none9'");
  CHECK(error_of({.group = "x", .port = 5000}) == "x: is not an IP address");
  CHECK(error_of({.group = kGroup, .port = 5000, .sender = "x", .interface = "lo"}) ==
        "239.255.77.1: the sender 'x' is not an IP address");
  CHECK(error_of({.group = "192.0.2.1", .port = 5000}).starts_with("192.0.2.1: "));
}
