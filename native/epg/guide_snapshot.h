// The guide on disk: its columns as they lie in memory, in the container of snapshot_file.h.
//
// A guide that was loaded goes on living in the mapped file, copy on write: what was a section of the file is a column
// of the store. docs/snapshot-format.md lists the sections.
//
// A checksum finds accidents. That the numbers of a file lead nowhere outside of it, that no chain runs in circles and
// that every event is in its lists exactly once is checked as well, in one pass, so that a file made by somebody else
// can be wrong, but can do no harm.
//
// Thread safety: anything may go on with the store, on other threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "epg/snapshot_file.h"
#include "epg/store.h"

namespace receiverd::epg {

struct GuideSaved {
  SnapshotWritten written;
  std::size_t events = 0;
  /// Store::generation() of what is in the file.
  std::uint64_t generation = 0;
};

/// Writes the whole guide to `path`, whose folder has to exist. Readers do not notice; writers of the store wait while
/// the guide is copied into the page cache, but not for the disk. One call per path at a time.
GuideSaved save_guide(Store& store, const std::string& path, wire::UnixSeconds now);

struct GuideLoaded {
  SnapshotFault fault = SnapshotFault::none;
  std::string why;
  std::size_t events = 0;
  wire::UnixSeconds created = 0;
  /// Where the guide lives now; lost() once it cannot be read any more, and then the store is to be cleared.
  std::shared_ptr<const SnapshotFile> file;

  bool ok() const { return fault == SnapshotFault::none; }
};

/// Replaces the guide by the one in `path`. On any fault the store stays as it is. Readers and writers wait for a
/// moment at the end only.
GuideLoaded load_guide(Store& store, const std::string& path, SnapshotFile::Access access = SnapshotFile::Access::map);

/// Copies the pages that the guide's structure is in out of the file, so that a file that cannot be read any more costs
/// texts, not more. To be called some time after load_guide(); readers wait for some microseconds at a time.
void leave_file(Store& store);

/// {"bytes","events","generation"}, or {"problem"}.
std::string saved_json(const GuideSaved& saved);
/// {"events","created"}, or {"fault": the name of a SnapshotFault, "problem"}.
std::string loaded_json(const GuideLoaded& loaded);

}  // namespace receiverd::epg
