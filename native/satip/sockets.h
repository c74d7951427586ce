// Sockets of SAT>IP, for both sides.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::satip {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  /// The same host; ports may differ.
  bool is_host_of(const sockaddr_storage& other) const;
};

/// `host` is numeric, IPv4 or IPv6: looking up a name would block.
std::optional<Address> address_of(const std::string& host, std::uint16_t port);
/// The same of `192.0.2.9:554`, `[2001:db8::9]:554`.
std::optional<Address> read_address(std::string_view text);

class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

/// Two UDP ports, the first even: RTP and RTCP (RFC 3550 §11).
struct UdpPair {
  Socket data;
  Socket control;
  std::uint16_t port = 0;  ///< of `data`; `control` has the next one

  bool is_open() const { return data.is_open(); }
};

/// On any two ports of this address that are free. Empty if there are none; errno tells why.
UdpPair open_udp_pair(Address local);

/// Has the kernel keep more datagrams that have come, and returns how many bytes.
std::size_t enlarge_receive_buffer(const Socket& socket);

/// Begins to connect a socket that never blocks. Not open if that fails at once; `error` is the reason, an errno.
Socket begin_connecting(const Address& server, int& error);

/// Datagrams are received many at a time. Owns its buffers.
class Batch {
 public:
  static constexpr std::size_t kMost = 32;
  /// What fits into an Ethernet frame; longer ones are cut off and refused.
  static constexpr std::size_t kDatagram = 1536;

  Batch();
  /// Takes up to kMost datagrams, those of `sender` only if one is given. Returns how many there were; 0: none is
  /// there.
  std::size_t receive(const Socket& socket, const Address* sender, const std::function<void(wire::Bytes)>& take);

 private:
  std::vector<std::uint8_t> bytes_;
  std::array<sockaddr_storage, kMost> senders_{};
  std::array<iovec, kMost> parts_{};
  std::array<mmsghdr, kMost> headers_{};
};

}  // namespace receiverd::satip
