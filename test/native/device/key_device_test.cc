// Tests of the virtual keyboard.
#include "device/key_device.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.h"

using receiverd::TemporaryFolder;
using namespace receiverd::device;

TEST_CASE("a key consists of an event with its code and one that completes it") {
  const auto events = key_events(KEY_CHANNELUP, Stroke::pressed);
  CHECK(sizeof events == 2 * sizeof(input_event));
  CHECK(events[0].type == 1);
  CHECK(events[0].code == 402);
  CHECK(events[0].value == 1);
  CHECK(events[1].type == 0);
  CHECK(events[1].code == 0);
  CHECK(events[1].value == 0);
  CHECK(key_events(KEY_A, Stroke::released)[0].value == 0);
  CHECK(key_events(KEY_A, Stroke::repeated)[0].value == 2);
}

TEST_CASE("the keyboard has the keys of a keyboard and of a remote control") {
  for (const unsigned code : {1U, 2U, 11U, 28U, 113U, 128U, 139U, 207U, 208U, 352U, 365U, 377U, 398U, 402U, 412U}) {
    CAPTURE(code);
    CHECK(has_key(code));
  }
}

TEST_CASE("keys that switch the machine off, and codes that are not keys, are missing") {
  for (const unsigned code : {0U, 116U, 142U, 143U, 205U, 356U, 408U, 0x110U, 0x130U, 0x220U, 0x2ffU, 0x300U, ~0U}) {
    CAPTURE(code);
    CHECK_FALSE(has_key(code));
  }
}

TEST_CASE("without uinput, creating the keyboard fails") {
  const TemporaryFolder folder;
  const KeyDevice::Opened none = KeyDevice::open(folder.file("uinput"), "receiverd");
  CHECK(none.device == nullptr);
  CHECK_FALSE(none.error.empty());
  std::ofstream(folder.file("plain")) << "no device";
  const KeyDevice::Opened plain = KeyDevice::open(folder.file("plain"), "receiverd");
  CHECK(plain.device == nullptr);
  CHECK_FALSE(plain.error.empty());
}

namespace {

/// The event device of the input device with this name, such as /dev/input/event7; empty if none appears.
std::string event_device(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code gone;
  // Two minutes: only a device that never appears takes so long.
  for (int attempt = 0; attempt < 12'000; attempt++, ::usleep(10'000)) {
    for (const auto& entry : fs::directory_iterator("/sys/class/input", gone)) {
      std::string found;
      std::getline(std::ifstream(entry.path() / "device" / "name"), found);
      const std::string event = entry.path().filename();
      if (found == name && event.starts_with("event") && ::access(("/dev/input/" + event).c_str(), R_OK) == 0) {
        return "/dev/input/" + event;
      }
    }
  }
  return {};
}

}  // namespace

TEST_CASE("a pressed key arrives at the event device" * doctest::skip(::access("/dev/uinput", W_OK) != 0)) {
  const std::string name = "receiverd test " + std::to_string(::getpid());
  const KeyDevice::Opened opened = KeyDevice::open("/dev/uinput", name);
  REQUIRE_MESSAGE(opened.device != nullptr, opened.error);
  const std::string path = event_device(name);
  REQUIRE_FALSE(path.empty());
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  CHECK(opened.device->send(KEY_CHANNELUP, Stroke::pressed));
  CHECK_FALSE(opened.device->send(KEY_POWER, Stroke::pressed));
  std::array<input_event, 2> events{};
  CHECK(::read(file, events.data(), sizeof events) == static_cast<ssize_t>(sizeof events));
  CHECK(events[0].type == EV_KEY);
  CHECK(events[0].code == KEY_CHANNELUP);
  CHECK(events[0].value == 1);
  ::close(file);
}
