#include "rtp/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace receiverd::rtp {

namespace {

/// Bytes; a second at 60 Mbit/s: the kernel counts 2,304 bytes for a datagram of 1,328.
constexpr int kReceiveBuffer = 16 << 20;
constexpr unsigned kAttempts = 64;

std::uint16_t port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  // IPv4 and IPv6 addresses have the port at the same offset.
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void set_port(Address& address, std::uint16_t port) {
  reinterpret_cast<sockaddr_in&>(address.bytes).sin_port = htons(port);
}

Socket bound_udp(const Address& at) {
  Socket socket(::socket(at.bytes.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return {};
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&at.bytes), at.size) != 0) return {};
  return socket;
}

}  // namespace

bool Address::is_host_of(const sockaddr_storage& other) const {
  if (bytes.ss_family != other.ss_family) return false;
  if (bytes.ss_family == AF_INET6) {
    return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(bytes).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(other).sin6_addr, sizeof(in6_addr)) == 0;
  }
  return reinterpret_cast<const sockaddr_in&>(bytes).sin_addr.s_addr ==
         reinterpret_cast<const sockaddr_in&>(other).sin_addr.s_addr;
}

std::optional<Address> address_of(const std::string& host, std::uint16_t port) {
  Address address;
  auto& ipv4 = reinterpret_cast<sockaddr_in&>(address.bytes);
  auto& ipv6 = reinterpret_cast<sockaddr_in6&>(address.bytes);
  if (inet_pton(AF_INET, host.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    address.size = sizeof ipv4;
  } else if (inet_pton(AF_INET6, host.c_str(), &ipv6.sin6_addr) == 1) {
    ipv6.sin6_family = AF_INET6;
    address.size = sizeof ipv6;
  } else {
    return std::nullopt;
  }
  set_port(address, port);
  return address;
}

std::optional<Address> read_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint16_t port = 0;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return address_of(std::string(host), port);
}

void Socket::close() {
  if (is_open()) ::close(number_);
  number_ = -1;
}

UdpPair open_udp_pair(Address local) {
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    set_port(local, 0);
    Socket first = bound_udp(local);
    const std::uint16_t port = port_of(first);
    if (port == 0) return {};
    const bool is_even = port % 2 == 0;
    set_port(local, static_cast<std::uint16_t>(is_even ? port + 1 : port - 1));
    Socket second = bound_udp(local);
    if (!second.is_open()) continue;
    if (!is_even) std::swap(first, second);
    UdpPair pair;
    pair.port = is_even ? port : static_cast<std::uint16_t>(port - 1);
    pair.data = std::move(first);
    pair.control = std::move(second);
    return pair;
  }
  return {};
}

std::size_t enlarge_receive_buffer(const Socket& socket) {
  int size = kReceiveBuffer;
  // SO_RCVBUFFORCE exceeds the system's limit, but needs CAP_NET_ADMIN.
  if (setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  socklen_t length = sizeof size;
  size = 0;
  getsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &size, &length);
  return static_cast<std::size_t>(size);
}

Socket begin_connecting(const Address& server, int& error) {
  Socket socket(::socket(server.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  error = errno;
  if (!socket.is_open()) return {};
  const int on = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* address = reinterpret_cast<const sockaddr*>(&server.bytes);
  if (::connect(socket.number(), address, server.size) == 0 || errno == EINPROGRESS) return socket;
  error = errno;
  return {};
}

std::string local_host_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  const void* const bytes = address.ss_family == AF_INET6
                                ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
                                : &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  return inet_ntop(address.ss_family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

Batch::Batch() : bytes_(kMaxDatagrams * kMaxDatagramBytes) {
  for (std::size_t i = 0; i < kMaxDatagrams; ++i) {
    parts_[i] = {.iov_base = bytes_.data() + i * kMaxDatagramBytes, .iov_len = kMaxDatagramBytes};
    headers_[i].msg_hdr.msg_name = &senders_[i];
    headers_[i].msg_hdr.msg_iov = &parts_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

std::size_t Batch::receive(const Socket& socket, const Address* sender, const std::function<void(wire::Bytes)>& take) {
  for (mmsghdr& header : headers_) header.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
  const int count = recvmmsg(socket.number(), headers_.data(), kMaxDatagrams, MSG_DONTWAIT, nullptr);
  if (count <= 0) return 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const bool is_truncated = (headers_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
    const bool is_from_sender = sender == nullptr || sender->is_host_of(senders_[i]);
    if (!is_truncated && is_from_sender) take({bytes_.data() + i * kMaxDatagramBytes, headers_[i].msg_len});
  }
  return static_cast<std::size_t>(count);
}

}  // namespace receiverd::rtp
