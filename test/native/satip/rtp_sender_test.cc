// Tests of RTP streams: headers, reports, frames, and reception by a client over UDP.
#include "satip/rtp_sender.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "satip/rtp_stream.h"
#include "waits.h"

using namespace receiverd;
using namespace receiverd::satip;
using namespace std::chrono_literals;
using dvb::kPacketSize;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Packets whose last byte counts them.
Bytes packets(std::size_t count, std::size_t first = 0) {
  Bytes bytes(count * kPacketSize, 0xFF);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i * kPacketSize] = dvb::kSyncByte;
    bytes[(i + 1) * kPacketSize - 1] = static_cast<std::uint8_t>(first + i);
  }
  return bytes;
}

unsigned word(const Bytes& bytes, std::size_t at) { return static_cast<unsigned>(bytes[at] << 8 | bytes[at + 1]); }

/// A non-blocking UDP socket on 127.0.0.1.
struct Client {
  rtp::Socket socket{::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  std::uint16_t port = 0;

  Client() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket.number(), any, size) == 0);
    REQUIRE(::getsockname(socket.number(), any, &size) == 0);
    port = ntohs(address.sin_port);
  }
  Bytes receive() const {
    Bytes datagram(2048);
    Bytes got;
    REQUIRE(wait_for([&] {
      const auto size = ::recv(socket.number(), datagram.data(), datagram.size(), 0);
      if (size > 0) got.assign(datagram.begin(), datagram.begin() + size);
      return size > 0;
    }));
    return got;
  }
};

rtp::Address host(std::uint16_t port = 0) { return *rtp::address_of("127.0.0.1", port); }

}  // namespace

TEST_CASE("A header has version, type, sequence, time and source") {
  RtpStream stream(0x01020304, 0xFFFF);
  const RtpStream::SteadyTime time(std::chrono::milliseconds(1000));
  const auto first = stream.header(1316, time);
  CHECK(Bytes(first.begin(), first.end()) == Bytes{0x80, 33, 0xFF, 0xFF, 0, 1, 0x5F, 0x90, 1, 2, 3, 4});
  CHECK(stream.sequence() == 0);
  CHECK(stream.header(188, time + 1s)[7] == 0x20);
  CHECK(stream.sequence() == 1);
}

TEST_CASE("A report has a sender report, the name, and the status of the tuner") {
  RtpStream stream(0x01020304, 0);
  stream.header(1316, {});
  const std::string status = "ver=1.0;src=1;tuner=1,240,1,15,11493.75,h,dvbs2,8psk,on,0.35,22000,23;pids=0,16,17,18";
  const auto report = stream.report(status, RtpStream::SteadyTime(1s), RtpStream::SystemTime(1s));
  std::size_t at = 0;
  std::vector<unsigned> types;
  while (at < report.size()) {
    types.push_back(report[at + 1]);
    if (report[at + 1] == 200) {
      CHECK(word(report, at + 8) == (2'208'988'801ULL >> 16));
      CHECK(word(report, at + 22) == 1);
      CHECK(word(report, at + 26) == 1316);
    }
    if (report[at + 1] == 204) {
      CHECK(std::string(report.begin() + static_cast<std::ptrdiff_t>(at) + 8, report.end()).starts_with("SES1"));
      CHECK(word(report, at + 14) == status.size());
      CHECK(std::string(report.begin() + static_cast<std::ptrdiff_t>(at) + 16, report.end()).starts_with(status));
    }
    at += (word(report, at + 2) + 1) * 4;
  }
  CHECK(at == report.size());
  CHECK(types == std::vector<unsigned>{200, 202, 204});
  CHECK(stream.report(std::string(5000, 'x'), {}, {}).size() < 1100);
}

TEST_CASE("Frames contain up to seven packets, or a report") {
  RtpStream stream;
  const Bytes given = packets(9);
  const Bytes got = stream.frames(4, given, {});
  REQUIRE(got.size() == given.size() + 2 * 16);
  CHECK(Bytes(got.begin(), got.begin() + 4) == Bytes{'$', 4, 1328 >> 8, 1328 & 0xFF});
  CHECK(got[16] == dvb::kSyncByte);
  CHECK(Bytes(got.begin() + 1332, got.begin() + 1336) == Bytes{'$', 4, 388 >> 8, 388 & 0xFF});
  CHECK(got.back() == 8);
  CHECK(stream.frames(4, {}, {}).empty());
  const Bytes report = RtpStream::frame(5, stream.report("ver=1.0", {}, {}));
  CHECK(report[1] == 5);
  CHECK(word(report, 2) == report.size() - 4);
}

TEST_CASE("A sender sends every packet in order, and sends reports also without data") {
  const Client rtp;
  const Client rtcp;
  RtpSender sender(host(), host(rtp.port), host(rtcp.port));
  CHECK(sender.port() % 2 == 0);
  sender.describe("ver=1.0;pids=none");
  for (int i = 0; i < 3; ++i) CHECK(rtcp.receive()[1] == 200);
  const std::uint16_t first = sender.sequence();
  const auto queue = sender.open_queue();
  CHECK(sender.queue() == queue);
  Bytes got;
  std::uint16_t sequence = first;
  constexpr std::size_t kCount = 200;
  for (std::size_t i = 0; i < kCount; i += 20) {
    queue->append(packets(20, i), std::chrono::steady_clock::now());
    queue->flush(std::chrono::steady_clock::now() + 1s);
    while (got.size() < (i + 20) * kPacketSize) {
      const Bytes datagram = rtp.receive();
      CHECK(word(datagram, 2) == sequence++);
      REQUIRE((datagram.size() - 12) % kPacketSize == 0);
      REQUIRE(datagram.size() <= 1328);
      got.insert(got.end(), datagram.begin() + 12, datagram.end());
    }
  }
  CHECK(got == packets(kCount));
  CHECK(wait_for([&] { return sender.sequence() == sequence; }));
  sender.close_queue();
  CHECK(queue->reason() == dvb::StreamEnd::closed);
  CHECK(rtcp.receive()[1] == 200);
}

TEST_CASE("A sender fills datagrams up with null packets, with and without a header") {
  for (const auto [framing, head] : {std::pair{Framing::filled_rtp, std::size_t{12}}, {Framing::filled_udp, 0}}) {
    const Client rtp;
    RtpSender sender(host(), host(rtp.port), host(rtp.port), framing);
    const auto queue = sender.open_queue();
    queue->append(packets(9), std::chrono::steady_clock::now());
    queue->finish(dvb::StreamEnd::ended);
    Bytes got;
    for (int i = 0; i < 2; ++i) {
      const Bytes datagram = rtp.receive();
      REQUIRE(datagram.size() == head + 7 * kPacketSize);
      got.insert(got.end(), datagram.begin() + static_cast<std::ptrdiff_t>(head), datagram.end());
    }
    const Bytes sent = packets(9);
    CHECK(std::equal(sent.begin(), sent.end(), got.begin()));
    for (std::size_t at = sent.size(); at < got.size(); at += kPacketSize) {
      CHECK(got[at] == 0x47);
      CHECK(word(got, at + 1) == 0x1FFF);
      CHECK(got[at + 3] == 0x10);
    }
  }
}

TEST_CASE("A sender keeps its maximum rate") {
  const Client rtp;
  RtpSender sender(host(), host(rtp.port), host(rtp.port));
  const auto queue = sender.open_queue();
  const auto begin = std::chrono::steady_clock::now();
  const std::uint16_t first = sender.sequence();
  constexpr std::uint16_t kDatagrams = 480;
  queue->append(packets(std::size_t{kDatagrams} * 7), begin);
  queue->finish(dvb::StreamEnd::ended);
  CHECK(wait_for([&] { return static_cast<std::uint16_t>(sender.sequence() - first) >= kDatagrams; }));
  CHECK(std::chrono::steady_clock::now() - begin >= 28ms);
}

TEST_CASE("A client that is not listening is no error, an invalid address is") {
  std::uint16_t closed = 0;
  { closed = Client().port; }
  RtpSender sender(host(), host(closed), host(closed));
  const auto queue = sender.open_queue();
  queue->append(packets(400), {});
  CHECK(wait_for([&] { return queue->counters().queued == 0; }));
  CHECK_THROWS_AS(RtpSender(*rtp::address_of("192.0.2.1", 0), host(1), host(2)), std::system_error);
  CHECK_THROWS_AS(RtpSender(*rtp::address_of("::1", 0), host(1), host(2)), std::system_error);
}

TEST_CASE("Addresses must be numeric") {
  CHECK(rtp::read_address("127.0.0.1:554"));
  CHECK(rtp::read_address("[2001:db8::9]:554"));
  for (const char* const text :
       {"example.org:554", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "[]:1", ":1"}) {
    CHECK_FALSE(rtp::read_address(text));
  }
}
