// Imports Enigma2's guide file, epg.dat, into the store, and exports it.
//
//   magic u32 0x98765432 | version, 13 characters | services i32
//   service: service_id i32, original_network_id i32, transport_stream_id i32 | events i32
//     event: source u16 (V7: u8) | length u8 = 10 + 4 n | event_id, start, duration as in EIT (10 bytes) | n hashes u32
//   descriptors i32
//     descriptor: hash u32 | events that use it i32 | tag u8, length u8, body
//   "PRIVATE_EPG" ... (not needed, not read)
//
// The hash is the CRC_32 of the descriptor with initial value 0. Numbers are in the byte order of the box that wrote
// the file; the first ten bytes of an event are as broadcast. Each distinct descriptor is stored once, at the end of
// the file. An event's title and text are two separate short_event_descriptors, so that equal titles share a
// descriptor.
//
// Read: V7 and V8 in both byte orders. The whole file is checked before the first event is stored, so a truncated,
// damaged or unfinished file changes nothing. Memory: 8 bytes for each distinct descriptor plus a few hundred
// kilobytes, whatever the size of the file; descriptors are read from the file where needed.
//
// Written: V8 little endian, which every current box reads and writes. Memory: 21 to 38 bytes for each distinct
// descriptor. The descriptors themselves are kept in an unnamed file until the events are written.
//
// Thread safety: every function here may be called from any thread and takes the store's locks for some hundred events
// at a time. With a large guide they take seconds, so do not call them on JavaScript's thread.
#pragma once

#include <cstdint>
#include <string>

#include "epg/eit/eit_decoder.h"
#include "epg/store/store.h"
#include "storage/file_io.h"

namespace receiverd::epg {

/// Larger files are refused. A million events take a third of it.
inline constexpr std::uint64_t kMaxEpgDatBytes = std::uint64_t{1} << 30;

/// The result of an import. All events of a well-formed file are stored, except those counted as left out.
struct EpgDatImport {
  std::string problem;  ///< why nothing was imported; empty on success
  std::uint8_t version = 0;
  bool big_endian = false;
  std::uint64_t services = 0;             ///< with imported events
  std::uint64_t events = 0;               ///< imported, including those that the store refused
  std::uint64_t descriptors = 0;          ///< distinct ones in the file
  std::uint64_t ended = 0;                ///< left out: ended before `from`
  std::uint64_t malformed = 0;            ///< left out: times that are not BCD, services whose numbers exceed 16 bits
  std::uint64_t missing_descriptors = 0;  ///< hashes of imported events without a descriptor in the file
  bool complete = true;                   ///< false: a limit of the store kept some events out
};

/// Imports the file's events into the store as one import (Store::import_events), except those that ended at `from` or
/// earlier. Character tables and languages are chosen as for sections.
EpgDatImport import_epg_dat(Store& store, const EitOptions& options, const storage::ByteSource& file,
                            wire::UnixSeconds from);

struct EpgDatExport {
  std::string problem;  ///< why nothing was written; empty on success
  std::uint64_t services = 0;
  std::uint64_t events = 0;
  std::uint64_t descriptors = 0;  ///< distinct ones
  std::uint64_t bytes = 0;        ///< size of the file
  std::uint64_t left_out = 0;  ///< events the format cannot hold: same start as another of the service, or past the end
                               ///< of MJD in 2038
  std::uint64_t cut = 0;       ///< events with more text or descriptors than an Enigma2 event holds
  std::uint64_t collisions = 0;  ///< descriptors left out because another one has the same hash
};

/// Enigma2 keeps events that begin within this time. Later ones are not written.
inline constexpr wire::UnixSeconds kEpgDatHorizonSeconds = 28 * 86400;

/// Writes the events that have not ended at `now` and begin within kEpgDatHorizonSeconds. The old file stays until the
/// new one is complete and on the disk; until then the new one is marked UNFINISHED_V8. One write at a time per path.
EpgDatExport export_epg_dat(const Store& store, const std::string& path, wire::UnixSeconds now);

/// Open the file and import or export. Return JSON: {"problem"} or the numbers of the result.
std::string import_epg_dat_file(Store& store, const EitOptions& options, const std::string& path,
                                wire::UnixSeconds from);
std::string export_epg_dat_file(const Store& store, const std::string& path, wire::UnixSeconds now);

}  // namespace receiverd::epg
