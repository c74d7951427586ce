#include "device/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace receiverd::device {

int notify(const std::string& socket, std::string_view message) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.empty() || (socket[0] != '/' && socket[0] != '@')) return EAFNOSUPPORT;
  // A path needs a terminating zero; an abstract name ends with the address.
  const std::size_t room = sizeof address.sun_path - (socket[0] == '/' ? 1 : 0);
  if (socket.size() > room) return ENAMETOOLONG;
  socket.copy(static_cast<char*>(address.sun_path), socket.size());
  if (socket[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());

  const int file = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return errno;
  const auto sent =
      ::sendto(file, message.data(), message.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
  const int error = sent < 0 ? errno : 0;
  ::close(file);
  return error;
}

}  // namespace receiverd::device
