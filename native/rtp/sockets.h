// Addresses and sockets of transport streams in the network, for clients and servers.
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

namespace receiverd::rtp {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  /// Whether `other` is the same host; ports may differ.
  bool is_host_of(const sockaddr_storage& other) const;
};

/// `host` is numeric, IPv4 or IPv6: names are not looked up, because that would block.
std::optional<Address> address_of(const std::string& host, std::uint16_t port);
/// Reads an address with a port: `192.0.2.9:554`, `[2001:db8::9]:554`.
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

/// Opens a pair on free ports of the address `local`. Not open if that fails; errno is the reason.
UdpPair open_udp_pair(Address local);

/// Enlarges the kernel's buffer for received datagrams. Returns its size in bytes.
std::size_t enlarge_receive_buffer(const Socket& socket);

/// Starts to connect a non-blocking socket. Not open if that fails at once; `error` is then the errno.
Socket begin_connecting(const Address& server, int& error);

/// The numeric address of this end of a connection; empty if it has none.
std::string local_host_of(const Socket& socket);

/// Receives many datagrams with one system call. Owns the buffers.
class Batch {
 public:
  static constexpr std::size_t kMaxDatagrams = 32;
  /// Bytes of a datagram: what fits into an Ethernet frame. Longer datagrams are dropped.
  static constexpr std::size_t kMaxDatagramBytes = 1536;

  Batch();
  /// Receives up to kMaxDatagrams datagrams without blocking, and calls `take` for each; if `sender` is given, only for
  /// those from its host. Returns the number received.
  std::size_t receive(const Socket& socket, const Address* sender, const std::function<void(wire::Bytes)>& take);

 private:
  std::vector<std::uint8_t> bytes_;
  std::array<sockaddr_storage, kMaxDatagrams> senders_{};
  std::array<iovec, kMaxDatagrams> parts_{};
  std::array<mmsghdr, kMaxDatagrams> headers_{};
};

}  // namespace receiverd::rtp
