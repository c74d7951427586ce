// A software keyboard on this machine, through Linux's uinput module. Its keys reach every program that listens to
// keyboards, as if someone had pressed them.
//
// It lacks the keys to which systemd-logind reacts by switching the machine off or putting it to sleep: a key sent over
// the network must not do that.
//
// libevdev would be a further system library for a few ioctls.
//
// Thread safety: none; one owner.
#pragma once

#include <linux/input.h>

#include <array>
#include <memory>
#include <string>

namespace receiverd::device {

/// `value` of a key event.
enum class Stroke { released = 0, pressed = 1, repeated = 2 };

/// A key event and the event that completes it, in the form the kernel reads. The kernel sets the times.
std::array<input_event, 2> key_events(unsigned code, Stroke stroke);

/// Whether the keyboard has the key with this code.
bool has_key(unsigned code);

class KeyDevice {
 public:
  struct Opened;

  /// Creates the keyboard, which exists as long as the object. `path` is /dev/uinput. `name` is shown to programs, and
  /// truncated to 79 bytes.
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
  std::string why;                    ///< the reason of a failure
};

}  // namespace receiverd::device
