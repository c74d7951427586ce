#include "epg/files/guide_snapshot.h"

#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "epg/files/snapshot_parts.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

/// Incremented whenever a section or one of its records changes its meaning.
constexpr SnapshotContent kContent{{'g', 'u', 'i', 'd', 'e'}, 2};

}  // namespace

namespace {

/// Makes private copies of the pages of a span. `locked(work)` has to keep all other threads out.
template <typename Locked>
void own_pages(std::span<const std::byte> bytes, Locked locked) {
#ifdef MADV_POPULATE_WRITE
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(bytes.data()) & (page - 1);
  // From Linux 5.14 on, this works unnoticed by other threads.
  auto* const begin = const_cast<std::byte*>(bytes.data() - before);
  if (::madvise(begin, before + bytes.size(), MADV_POPULATE_WRITE) == 0) return;
#endif
  locked([&] {
    constexpr std::size_t kSmallestPage = 4096;
    for (std::size_t at = 0; at < bytes.size(); at += kSmallestPage) {
      auto* const byte = const_cast<volatile std::byte*>(&bytes[at]);
      *byte = *byte;
    }
  });
}

}  // namespace

void SnapshotParts::leave_file() {
  const std::lock_guard writers(store_.writer_);
  const auto locked = [this](auto work) {
    const std::unique_lock lock(store_.mutex_);
    work();
  };
  const auto own = [&](const auto& column) {
    column.each_chunk([&](auto chunk) { own_pages(std::as_bytes(chunk), locked); });
  };
  own(store_.records_);
  own(store_.programmes_.programmes_);
  for (const TextPool& pool : store_.programmes_.texts_) own(pool.slots_);
  own(store_.programmes_.details_.slots_);
}

GuideSaved save_guide(Store& store, const std::string& path, wire::UnixSeconds now) {
  GuideSaved saved;
  try {
    SnapshotWriter writer(path, kContent, now);
    if (writer.ok()) SnapshotParts(store).write(writer, saved);
    saved.written = writer.finish();
  } catch (const std::bad_alloc&) {
    saved.written = {SnapshotWriteFault::failed, "out of memory", 0};
  }
  return saved;
}

GuideLoaded load_guide(Store& store, const std::string& path, SnapshotFile::Access access) {
  GuideLoaded loaded;
  try {
    SnapshotFile::Opened opened = SnapshotFile::open(path, kContent, access);
    if (opened.file == nullptr) {
      loaded.fault = opened.fault;
      loaded.why = std::move(opened.why);
      return loaded;
    }
    SnapshotParts parts(store);
    parts.read(opened.file);
    // Pages past the end of a file that is being truncated read as zeros, which might have passed the checks.
    if (opened.file->lost()) throw WrongSnapshot{SnapshotFault::unreadable, "it can no longer be read"};
    loaded.events = parts.events();
    loaded.created = opened.file->created();
    loaded.file = std::move(opened.file);
    parts.swap_in();
  } catch (const WrongSnapshot& wrong) {
    loaded = {};
    loaded.fault = wrong.fault;
    loaded.why = wrong.why;
  } catch (const std::bad_alloc&) {
    loaded = {};
    loaded.fault = SnapshotFault::unreadable;
    loaded.why = "out of memory";
  }
  return loaded;
}

void leave_file(Store& store) { SnapshotParts(store).leave_file(); }

namespace {

std::string_view name_of(SnapshotFault fault) {
  switch (fault) {
    case SnapshotFault::none:
      return "none";
    case SnapshotFault::missing:
      return "missing";
    case SnapshotFault::unreadable:
      return "unreadable";
    case SnapshotFault::not_a_snapshot:
      return "not-a-snapshot";
    case SnapshotFault::other_machine:
      return "other-machine";
    case SnapshotFault::other_version:
      return "other-version";
    case SnapshotFault::damaged:
      return "damaged";
    case SnapshotFault::does_not_fit:
      return "does-not-fit";
  }
  return "";
}

}  // namespace

std::string saved_json(const GuideSaved& saved) {
  wire::JsonWriter json;
  json.begin_object();
  if (saved.written.ok()) {
    json.member("bytes", saved.written.file_bytes)
        .member("events", saved.events)
        .member("generation", saved.generation);
  } else {
    json.member("problem", std::string_view(saved.written.why));
  }
  json.end_object();
  return json.take();
}

std::string loaded_json(const GuideLoaded& loaded) {
  wire::JsonWriter json;
  json.begin_object();
  if (loaded.ok()) {
    json.member("events", loaded.events).member("created", loaded.created);
  } else {
    json.member("fault", name_of(loaded.fault)).member("problem", std::string_view(loaded.why));
  }
  json.end_object();
  return json.take();
}

}  // namespace receiverd::epg
