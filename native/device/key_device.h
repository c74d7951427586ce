// Keys of this machine: a keyboard that exists in software, through Linux's uinput module. What is sent to it reaches
// whatever program listens to the keyboard, as if somebody had pressed a key.
//
// The keys that systemd-logind answers by switching the machine off or putting it to sleep are not on it: a key over
// the network must not do that.
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

/// A key event and the one that says it is complete, as the kernel reads them. Times are the kernel's business.
std::array<input_event, 2> key_events(unsigned code, Stroke stroke);

/// True for the codes that the keyboard has.
bool has_key(unsigned code);

class KeyDevice {
 public:
  struct Opened;

  /// Makes the keyboard; it is there as long as the object lives. `path`: /dev/uinput. `name`: what programs see, cut
  /// off after 79 bytes.
  static Opened open(const std::string& path, const std::string& name);

  KeyDevice(const KeyDevice&) = delete;
  KeyDevice& operator=(const KeyDevice&) = delete;
  ~KeyDevice();

  /// False for a key that the keyboard does not have, or when the kernel does not take it.
  bool send(unsigned code, Stroke stroke) const;

 private:
  explicit KeyDevice(int file) : file_(file) {}

  int file_;
};

struct KeyDevice::Opened {
  std::unique_ptr<KeyDevice> device;  ///< null when it failed
  std::string why;                    ///< then
};

}  // namespace receiverd::device
