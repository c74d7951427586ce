// The system calls on DVB devices: the only interface between native/frontend and the kernel. Tests replace it by a
// scripted front end, with properties that no virtual adapter has (test/native/frontend/scripted.h).
//
// Functions return the result of the call, or -errno. Descriptors are non-blocking, but calls of a broken driver may
// still hang.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace receiverd::frontend {

class System {
 public:
  virtual ~System() = default;

  enum class Access : std::uint8_t { read, write };
  virtual int open(const std::string& path, Access access) = 0;
  virtual void close(int device) = 0;
  /// ioctl with a pointer.
  virtual int control(int device, unsigned long request, void* argument) = 0;
  /// ioctl with a number in place of a pointer.
  virtual int control(int device, unsigned long request, unsigned long value) = 0;
  virtual std::ptrdiff_t read(int device, std::span<std::uint8_t> buffer) = 0;
  /// Waits until there is something to read: returns 1, or 0 after `time`; -EIO once the device is gone.
  virtual int wait(int device, std::chrono::milliseconds time) = 0;
  /// The names in a folder, sorted; empty if it does not exist.
  virtual std::vector<std::string> list(const std::string& folder) = 0;
};

/// The calls of the kernel. May be used from any thread.
System& real_system();

/// Owns a descriptor, and closes it when destroyed.
class Device {
 public:
  Device() = default;
  Device(System& system, int number) : system_(&system), number_(number) {}
  ~Device() { close(); }
  Device(Device&& other) noexcept : system_(other.system_), number_(other.number_) { other.number_ = -1; }
  Device& operator=(Device&& other) noexcept {
    std::swap(system_, other.system_);
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  void close() {
    if (is_open()) system_->close(number_);
    number_ = -1;
  }

 private:
  System* system_ = nullptr;
  int number_ = -1;
};

/// A human-readable message for an errno, with advice: `/dev/dvb/adapter0/frontend0: no permission; the user ...`.
std::string reason_of(int error, const std::string& path);

}  // namespace receiverd::frontend
