// A virtual keyboard, created with Linux's uinput. Its key events reach every program that reads keyboards, as if a
// user had pressed the keys.
//
// It lacks the keys to which systemd-logind reacts by switching off or suspending the machine: a key sent over the
// network must not do that.
//
// libevdev is not used: it would be another system library for a few ioctls.
//
// Not thread-safe.
#pragma once

#include <linux/input.h>

#include <array>
#include <memory>
#include <string>

namespace receiverd::device {

/// `value` of a key event.
enum class Stroke { released = 0, pressed = 1, repeated = 2 };

/// A key event and the SYN_REPORT that completes it, as the kernel reads them. The kernel sets the times.
std::array<input_event, 2> key_events(unsigned code, Stroke stroke);

/// Whether the keyboard has the key with this code.
bool has_key(unsigned code);

class KeyDevice {
 public:
  struct Opened;

  /// Creates the keyboard, which exists as long as the object. `path` is usually /dev/uinput. `name` is the name that
  /// programs see, truncated to 79 bytes.
  static Opened open(const std::string& path, const std::string& name);

  KeyDevice(const KeyDevice&) = delete;
  KeyDevice& operator=(const KeyDevice&) = delete;
  ~KeyDevice();

  /// Returns false if the keyboard does not have the key, or the kernel does not accept it.
  bool send(unsigned code, Stroke stroke) const;

 private:
  explicit KeyDevice(int file) : file_(file) {}

  int file_;
};

struct KeyDevice::Opened {
  std::unique_ptr<KeyDevice> device;  ///< null on failure
  std::string error;                  ///< the reason of a failure
};

}  // namespace receiverd::device
