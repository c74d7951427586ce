#include "rtp/multicast_source.h"

#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace receiverd::rtp {

namespace {

/// Datagrams that arrive within it are read together.
constexpr std::chrono::milliseconds kGather{5};
constexpr std::chrono::milliseconds kMaxWait{50};
constexpr unsigned kMaxBatchesPerRead = 16;

bool is_multicast(const Address& address) {
  if (address.bytes.ss_family == AF_INET6) {
    return IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6&>(address.bytes).sin6_addr);
  }
  return IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in&>(address.bytes).sin_addr.s_addr));
}

int level_of(const Address& group) { return group.bytes.ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP; }

}  // namespace

bool MulticastSource::fail(std::string what) {
  error_ = options_.group + ": " + std::move(what);
  socket_.close();
  return false;
}

bool MulticastSource::join() {
  last_data_at_ = Clock::now();
  receiver_.restart();
  const auto group = address_of(options_.group, options_.port);
  if (!group) return fail("is not an IP address");
  const unsigned interface = options_.interface.empty() ? 0 : if_nametoindex(options_.interface.c_str());
  if (interface == 0 && !options_.interface.empty()) return fail("there is no interface '" + options_.interface + "'");
  if (!options_.sender.empty() && !(sender_ = address_of(options_.sender, 0)))
    return fail("the sender '" + options_.sender + "' is not an IP address");
  socket_ = Socket(::socket(group->bytes.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  // Several programs may receive the same group, but a unicast address has one receiver.
  if (is_multicast(*group)) setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  Address local = *group;
  if (local.bytes.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(local.bytes).sin6_scope_id = interface;
  if (!socket_.is_open() ||
      ::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&local.bytes), local.size) != 0 ||
      (is_multicast(*group) && !join_group(*group, interface))) {
    return fail(std::generic_category().message(errno));
  }
  enlarge_receive_buffer(socket_);
  return true;
}

bool MulticastSource::join_group(const Address& group, unsigned interface) {
  if (sender_) {
    group_source_req request{};
    request.gsr_interface = interface;
    request.gsr_group = group.bytes;
    request.gsr_source = sender_->bytes;
    return setsockopt(socket_.number(), level_of(group), MCAST_JOIN_SOURCE_GROUP, &request, sizeof request) == 0;
  }
  group_req request{};
  request.gr_interface = interface;
  request.gr_group = group.bytes;
  return setsockopt(socket_.number(), level_of(group), MCAST_JOIN_GROUP, &request, sizeof request) == 0;
}

dvb::ReadResult MulticastSource::read(std::span<std::uint8_t> buffer) {
  using State = dvb::ReadResult::State;
  if (receiver_.output().empty()) {
    if (!socket_.is_open() && !join()) return {State::failed, 0};
    pollfd waited{socket_.number(), POLLIN, 0};
    if (poll(&waited, 1, static_cast<int>(kMaxWait.count())) > 0) std::this_thread::sleep_for(kGather);
    const auto now = Clock::now();
    const Address* const sender = sender_ ? &*sender_ : nullptr;
    for (unsigned i = 0; i < kMaxBatchesPerRead && receiver_.output().size() < buffer.size(); ++i) {
      const auto take = [&](wire::Bytes datagram) { receiver_.packet(datagram, now); };
      if (batch_.receive(socket_, sender, take) < Batch::kMaxDatagrams) break;
    }
    receiver_.tick(now);
    if (!receiver_.output().empty()) {
      last_data_at_ = now;
      locked_ = true;
    } else if (now - last_data_at_ >= kSilenceTimeout) {
      locked_ = false;
      // The next read joins again.
      socket_.close();
    }
  }
  const std::size_t size = receiver_.take(buffer);
  return size > 0 ? dvb::ReadResult{State::data, size} : dvb::ReadResult{};
}

}  // namespace receiverd::rtp
