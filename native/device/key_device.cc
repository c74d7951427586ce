#include "device/key_device.h"

#include <fcntl.h>
#include <linux/uinput.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace receiverd::device {
namespace {

/// Keys to which systemd-logind and desktops react by switching off, suspending or restarting the machine.
constexpr std::array kMachineKeys{KEY_POWER, KEY_SLEEP, KEY_WAKEUP, KEY_SUSPEND, KEY_POWER2, KEY_RESTART, KEY_SYSRQ};

constexpr std::uint16_t kVersion = 1;

bool register_keys(int file) {
  if (::ioctl(file, UI_SET_EVBIT, EV_KEY) != 0) return false;
  for (unsigned code = 0; code <= KEY_MAX; code++) {
    if (has_key(code) && ::ioctl(file, UI_SET_KEYBIT, code) != 0) return false;
  }
  return true;
}

/// Describes the device in the form of kernels before 4.5, which later kernels accept too.
bool set_up(int file, const std::string& name) {
  uinput_user_dev description{};
  name.copy(static_cast<char*>(description.name), UINPUT_MAX_NAME_SIZE - 1);
  description.id.bustype = BUS_VIRTUAL;
  description.id.version = kVersion;
  return ::write(file, &description, sizeof description) == static_cast<ssize_t>(sizeof description);
}

}  // namespace

std::array<input_event, 2> key_events(unsigned code, Stroke stroke) {
  std::array<input_event, 2> events{};
  events[0].type = EV_KEY;
  events[0].code = static_cast<std::uint16_t>(code);
  events[0].value = static_cast<int>(stroke);
  events[1].type = EV_SYN;
  events[1].code = SYN_REPORT;
  return events;
}

bool has_key(unsigned code) {
  // Codes from BTN_MISC to KEY_OK, and from BTN_DPAD_UP on, are buttons of mice, joysticks and tablets.
  const bool is_key = (code > KEY_RESERVED && code < BTN_MISC) || (code >= KEY_OK && code < BTN_DPAD_UP);
  return is_key && std::find(kMachineKeys.begin(), kMachineKeys.end(), static_cast<int>(code)) == kMachineKeys.end();
}

KeyDevice::Opened KeyDevice::open(const std::string& path, const std::string& name) {
  const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return {nullptr, std::generic_category().message(errno)};
  if (register_keys(file) && set_up(file, name) && ::ioctl(file, UI_DEV_CREATE) == 0) {
    return {std::unique_ptr<KeyDevice>(new KeyDevice(file)), {}};
  }
  const int code = errno;
  ::close(file);
  return {nullptr, std::generic_category().message(code)};
}

KeyDevice::~KeyDevice() {
  ::ioctl(file_, UI_DEV_DESTROY);
  ::close(file_);
}

bool KeyDevice::send(unsigned code, Stroke stroke) const {
  if (!has_key(code)) return false;
  const std::array<input_event, 2> events = key_events(code, stroke);
  return ::write(file_, events.data(), sizeof events) == static_cast<ssize_t>(sizeof events);
}

}  // namespace receiverd::device
