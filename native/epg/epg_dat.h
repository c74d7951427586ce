// Enigma2's guide file, epg.dat: taken into the store, and made of the store.
//
//   magic u32 0x98765432 | version, 13 characters | services i32
//   service: service_id i32, original_network_id i32, transport_stream_id i32 | events i32
//     event: source u16 (V7: u8) | length u8 = 10 + 4 n | event_id, start, duration as in EIT (10 bytes) | n hashes u32
//   descriptors i32
//     descriptor: hash u32 | events that use it i32 | tag u8, length u8, body
//   "PRIVATE_EPG" ... (not needed, not read)
//
// The hash is CRC_32 of the descriptor with initial value 0. Numbers are in the byte order of the box that wrote the
// file; the first ten bytes of an event are as they were broadcast. Each distinct descriptor stands once, at the end of
// the file. Title and text of an event are two short_event_descriptors there, so that equal titles are one descriptor.
//
// Read: V7 and V8 in both byte orders. The whole file is looked through before the first event is taken, so that one
// that is cut, damaged or not finished changes nothing. Memory: 8 bytes for each distinct descriptor and a few hundred
// kilobytes, whatever the size of the file; the descriptors are read where they stand.
//
// Written: V8 little endian, what every current box reads and writes. Memory: 24 to 40 bytes for each distinct
// descriptor; the descriptors themselves wait in a file without a name until the events are written.
//
// Thread safety: every function here may be called from any thread and takes the store's locks for some hundred events
// at a time. They take seconds for a large guide: not for JavaScript's thread.
#pragma once

#include <cstdint>
#include <string>

#include "epg/eit_decoder.h"
#include "epg/store.h"
#include "storage/file_io.h"

namespace receiverd::epg {

/// Files over this size are refused: a million events take a third of it.
inline constexpr std::uint64_t kLargestEpgDat = std::uint64_t{1} << 30;

/// Of a file whose structure holds all events are taken, but:
struct EpgDatImport {
  std::string problem;  ///< why nothing was taken; empty: it was
  std::uint8_t version = 0;
  bool big_endian = false;
  std::uint64_t services = 0;             ///< of which events were taken
  std::uint64_t events = 0;               ///< taken; those that the store refused count too
  std::uint64_t descriptors = 0;          ///< distinct ones in the file
  std::uint64_t ended = 0;                ///< left out: ended before `from`
  std::uint64_t malformed = 0;            ///< left out: times that are no BCD, services whose numbers exceed 16 bits
  std::uint64_t missing_descriptors = 0;  ///< hashes of events taken that the file does not explain
  bool complete = true;                   ///< false: a bound of the store kept something out
};

/// Puts the events of the file into the store as one import (Store::import_events), those that ended at `from` or
/// earlier excepted. Character tables and languages are chosen as for sections.
EpgDatImport import_epg_dat(Store& store, const EitOptions& options, const storage::ByteSource& file,
                            wire::UnixSeconds from);

struct EpgDatExport {
  std::string problem;  ///< why nothing was written; empty: it was
  std::uint64_t services = 0;
  std::uint64_t events = 0;
  std::uint64_t descriptors = 0;  ///< distinct ones
  std::uint64_t bytes = 0;        ///< size of the file
  std::uint64_t left_out = 0;  ///< events the format has no room for: beginning with another of the service, or in 2038
  std::uint64_t cut = 0;       ///< events with more text or descriptors than an Enigma2 event holds
  std::uint64_t collisions = 0;  ///< descriptors left out because another one has their hash
};

/// How far ahead Enigma2 keeps events, in seconds: later ones are not written.
inline constexpr wire::UnixSeconds kEpgDatAhead = 28 * 86400;

/// Writes the events that have not ended at `now` and begin within kEpgDatAhead. The old file stays until the new one
/// is whole and on the disk; meanwhile the new one says UNFINISHED_V8. A write at a time for each path.
EpgDatExport export_epg_dat(const Store& store, const std::string& path, wire::UnixSeconds now);

/// The answers of both, and of opening the file, as JSON: {"problem"} or the numbers of the result.
std::string import_epg_dat_file(Store& store, const EitOptions& options, const std::string& path,
                                wire::UnixSeconds from);
std::string export_epg_dat_file(const Store& store, const std::string& path, wire::UnixSeconds now);

}  // namespace receiverd::epg
