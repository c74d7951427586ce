// Tests of messages to the service manager, on real sockets.
#include "device/service_manager.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "temporary_folder.h"

using receiverd::TemporaryFolder;
using namespace receiverd::device;

namespace {

/// A service manager that receives the messages sent to its socket.
class Manager {
 public:
  explicit Manager(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(file_, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  ~Manager() { ::close(file_); }

  /// The next message, empty if there is none.
  [[nodiscard]] std::string heard() const {
    std::array<char, 4096> buffer{};
    const auto size = ::recv(file_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size < 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

 private:
  int file_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

}  // namespace

TEST_CASE("a message reaches a socket with a path, complete") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const Manager manager(path);
  CHECK(notify(path, "READY=1\nSTATUS=Größe") == 0);
  CHECK(manager.heard() == "READY=1\nSTATUS=Größe");
  CHECK(manager.heard().empty());
}

TEST_CASE("a message reaches an abstract socket") {
  const std::string name = "@receiverd-test-" + std::to_string(::getpid());
  const Manager manager(name);
  CHECK(notify(name, "WATCHDOG=1") == 0);
  CHECK(manager.heard() == "WATCHDOG=1");
}

TEST_CASE("a socket that is full, missing or invalid gives an error and does not block") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "notify").string();
  CHECK(notify(path, "READY=1") == ENOENT);
  const Manager manager(path);
  int error = 0;
  for (int n = 0; n < 100'000 && error == 0; ++n) error = notify(path, "WATCHDOG=1");
  CHECK(error == EAGAIN);
  CHECK(notify("", "READY=1") == EAFNOSUPPORT);
  CHECK(notify("vsock:2:1234", "READY=1") == EAFNOSUPPORT);
  CHECK(notify("/" + std::string(200, 'x'), "READY=1") == ENAMETOOLONG);
  CHECK(notify("@" + std::string(107, 'x'), "READY=1") == ECONNREFUSED);
}
