#include "frontend/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace receiverd::frontend {

namespace {

class Kernel final : public System {
 public:
  int open(const std::string& path, Access access) override {
    const int mode = access == Access::write ? O_RDWR : O_RDONLY;
    return result(::open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC));
  }
  void close(int device) override { ::close(device); }
  int control(int device, unsigned long request, void* argument) override {
    return result(::ioctl(device, request, argument));
  }
  int control(int device, unsigned long request, unsigned long value) override {
    return result(::ioctl(device, request, value));
  }
  std::ptrdiff_t read(int device, std::span<std::uint8_t> buffer) override {
    const ssize_t size = ::read(device, buffer.data(), buffer.size());
    return size < 0 ? -errno : size;
  }
  int wait(int device, std::chrono::milliseconds time) override {
    pollfd one = {device, POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(time.count()));
    if (ready < 0) return errno == EINTR ? 0 : -errno;
    // POLLERR also stands for a full ring; read() returns which error it is.
    return ready > 0 ? 1 : 0;
  }
  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
    if (open == nullptr) return names;
    while (const dirent* entry = readdir(open.get())) names.emplace_back(entry->d_name);
    std::ranges::sort(names);
    return names;
  }

 private:
  static int result(int value) { return value < 0 ? -errno : value; }
};

}  // namespace

System& real_system() {
  static Kernel kernel;
  return kernel;
}

std::string reason_of(int error, const std::string& path) {
  const std::string what = path + ": ";
  switch (error) {
    case EACCES:
    case EPERM:
      return what + "no permission; the user of this program must be in the group video";
    case EBUSY:
      return what + "in use by another program";
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return what + "there is no such device";
    default:
      return what + std::generic_category().message(error);
  }
}

}  // namespace receiverd::frontend
