// Saves the guide to disk and loads it: the columns of the store, unconverted, in the container of snapshot_file.h.
//
// A loaded guide stays in the mapped file, copy on write: each section of the file becomes a column of the store.
// docs/snapshot-format.md lists the sections.
//
// Checksums detect accidental damage. One pass over the data also checks that every index is in range, that
// no chain has a cycle and that every event is in its lists exactly once. So a forged file may contain wrong data,
// but cannot do harm.
//
// Thread safety: other threads may use the store at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "epg/files/snapshot_file.h"
#include "epg/store/store.h"

namespace receiverd::epg {

struct GuideSaved {
  SnapshotWritten written;
  std::size_t events = 0;
  /// Store::generation() of the saved state.
  std::uint64_t generation = 0;
};

/// Writes the whole guide to `path`, whose folder must exist. Readers are not blocked. Writers of the store wait
/// while the guide is copied into the page cache, but not for the disk. One call per path at a time.
GuideSaved save_guide(Store& store, const std::string& path, wire::UnixSeconds now);

struct GuideLoaded {
  SnapshotFault fault = SnapshotFault::none;
  std::string why;
  std::size_t events = 0;
  wire::UnixSeconds created = 0;
  /// The file whose mapped bytes the guide uses. Once its lost() is true, texts are missing and the store must be
  /// cleared.
  std::shared_ptr<const SnapshotFile> file;

  bool ok() const { return fault == SnapshotFault::none; }
};

/// Replaces the guide with the one in `path`. On any fault, the store stays unchanged. Readers and writers wait only at
/// the end, for a moment.
GuideLoaded load_guide(Store& store, const std::string& path, SnapshotFile::Access access = SnapshotFile::Access::map);

/// Switches the store to the file that save_guide() has just written, so that it needs as little memory as after a
/// restart. The generation stays. SnapshotFault::outdated if the guide has changed since `generation`.
GuideLoaded move_guide(Store& store, const std::string& path, std::uint64_t generation);

/// Copies the pages that hold the guide's structure out of the file. If the file becomes unreadable later, only
/// texts are lost. Call some time after load_guide(); readers wait for some microseconds at a time.
void leave_file(Store& store);

/// {"bytes","events","generation"}, or {"problem"}.
std::string saved_json(const GuideSaved& saved);
/// {"events","created"}, or {"missing": whether there is no file, "problem"}.
std::string loaded_json(const GuideLoaded& loaded);

}  // namespace receiverd::epg
