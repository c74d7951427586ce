#include "storage/file_mapping.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <mutex>

namespace receiverd::storage {
namespace {

/// All that the signal handler accesses: lock-free atomics only.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};  // 0 = not mapped
  std::atomic<bool> lost{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::array<Slot, FileMapping::kMaxMappings> slots;
struct sigaction previous;
std::uintptr_t page_size = 4096;
std::atomic<std::uintptr_t> last_replaced{0};

bool replace_page(void* broken) {
  const auto address = reinterpret_cast<std::uintptr_t>(broken);
  for (Slot& slot : slots) {
    if (address < slot.begin.load(std::memory_order_acquire) || address >= slot.end.load(std::memory_order_acquire)) {
      continue;
    }
    const std::uintptr_t inside = address & (page_size - 1);
    // Our own memory can be broken too (a machine check). Looping here for ever would be worse than ending the process.
    if (last_replaced.exchange(address - inside) == address - inside) return false;
    void* const page = static_cast<std::byte*>(broken) - inside;
    if (::mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      return false;
    }
    slot.lost.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  // The kernel sends positive codes; signals sent by kill() have no address.
  const bool replaced = info->si_code > 0 && replace_page(info->si_addr);
  errno = error;
  if (replaced) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // The instruction is retried and ends the process as if there were no handler.
    ::signal(SIGBUS, SIG_DFL);
    if (info->si_code <= 0) ::raise(SIGBUS);
  }
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous);
  });
}

std::size_t take_slot() {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bool free = false;
    if (slots[i].taken.compare_exchange_strong(free, true)) return i;
  }
  return slots.size();
}

}  // namespace

std::unique_ptr<FileMapping> FileMapping::map(int file, std::size_t size) {
  install_handler();
  const std::size_t index = take_slot();
  if (index == slots.size()) return nullptr;
  Slot& slot = slots[index];
  void* const begin = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (begin == MAP_FAILED) {
    slot.taken.store(false);
    return nullptr;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  slot.lost.store(false);
  last_replaced.store(0);
  slot.begin.store(address, std::memory_order_release);
  // Up to the end of the last page: in a truncated file, pages past the end are unavailable.
  slot.end.store((address + size + page_size - 1) & ~(page_size - 1), std::memory_order_release);
  return std::unique_ptr<FileMapping>(new FileMapping(index, static_cast<std::uint8_t*>(begin), size));
}

FileMapping::~FileMapping() {
  Slot& slot = slots[slot_];
  slot.end.store(0, std::memory_order_release);
  ::munmap(begin_, size_);
  slot.taken.store(false, std::memory_order_release);
}

bool FileMapping::lost() const { return slots[slot_].lost.load(std::memory_order_acquire); }

}  // namespace receiverd::storage
