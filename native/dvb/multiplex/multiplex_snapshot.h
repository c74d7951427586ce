// A consistent snapshot of a multiplex, merged from its tables. Plain values; see multiplex.h for how they are
// collected.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dvb/packets/section.h"
#include "dvb/si/delivery_system.h"
#include "dvb/si/elementary_stream.h"
#include "dvb/si/service_description.h"
#include "wire/time.h"

namespace receiverd::dvb {

/// A service of the tuned or of another multiplex. For other multiplexes only the data of SDT other and the NIT is
/// known. ATSC's VCT counts as SDT. Without an SDT the description is empty, and the type is guessed from the streams:
/// 1 with video, 2 with audio only, else 0 unknown. The default authority is the service's own, else its transport
/// stream's, else the network's.
struct Service : ServiceDescription {
  DvbTriplet triplet;
  RunningStatus running_status = RunningStatus::undefined;
  bool in_sdt = false;     ///< false: description and flags do not come from an SDT
  bool scrambled = false;  ///< free_CA_mode of the SDT; without an SDT, whether the PMT names a CA system
  bool eit_present_following = false;
  bool eit_schedule = false;
  std::uint16_t pmt_pid = 0;  ///< 0 if not in the PAT
  std::uint16_t pcr_pid = 0x1FFF;
  std::vector<ElementaryStream> streams;       ///< empty until the PMT has arrived
  std::vector<std::uint16_t> ca_system_ids;    ///< of the service and all its streams, each once
  std::uint16_t logical_channel_number = 0;    ///< 0 none
  std::uint16_t simulcast_channel_number = 0;  ///< its number on HD receivers, which replaces the other; 0 none
  std::uint16_t minor_channel_number = 0;      ///< of ATSC and ISDB in Brazil: 1 in 10.1; 0 none
  std::uint16_t source_id = 0;                 ///< of ATSC; 0 none
  std::shared_ptr<const std::string> text;  ///< ATSC: what the ETT says of the channel; null if none has been received
  std::shared_ptr<const std::string> logo;  ///< ISDB: PNG; null if none has been received
  bool one_seg = false;                     ///< ISDB: made for telephones and cars
  bool visible = true;                      ///< false: the network asks receivers not to list it
  std::vector<SubService> sub_services;     ///< of the current event
  bool operator==(const Service&) const = default;
};

/// One multiplex from NIT and SDT other; includes the tuned one if the NIT lists it.
struct TransportStream {
  std::uint16_t original_network_id = 0;
  std::uint16_t transport_stream_id = 0;
  std::uint16_t network_id = 0;  ///< of the NIT that lists it; 0 if only SDT other does
  std::optional<DeliverySystem> delivery_system;
  bool operator==(const TransportStream&) const = default;
};

struct Network {
  std::uint16_t network_id = 0;
  std::string name;
  bool operator==(const Network&) const = default;
};

struct Bouquet {
  std::uint16_t bouquet_id = 0;
  std::string name;
  std::vector<DvbTriplet> services;
  bool operator==(const Bouquet&) const = default;
};

/// A service that appears in the guide, whether or not it is in the service lists.
struct GuideService {
  DvbTriplet triplet;
  bool actual = false;  ///< a service of the tuned multiplex, by table_id
  bool operator==(const GuideService&) const = default;
};

/// One consistent snapshot; immutable once published.
struct MultiplexSnapshot {
  /// Increases by one whenever anything below changes; 0 before the first table.
  std::uint64_t generation = 0;
  /// From the PAT, else from the SDT, else from EIT actual; missing if none has been received.
  std::optional<std::uint16_t> transport_stream_id;
  /// From the SDT, else from the NIT entry of this multiplex, else from EIT actual.
  std::optional<std::uint16_t> original_network_id;
  std::optional<Network> network;  ///< NIT actual
  bool has_pat = false;            ///< the PAT is complete: no more services can be received
  /// PAT and SDT actual are complete and every service of the PAT has its PMT: no more services will appear.
  bool complete = false;
  bool exhausted = false;         ///< the source has delivered everything once: nothing more will appear
  std::vector<Service> services;  ///< of this multiplex, by service id
  /// Of other multiplexes, by triplet; one list per SDT sub-table, shared between snapshots.
  std::vector<std::shared_ptr<const std::vector<Service>>> other_services;
  std::vector<TransportStream> transport_streams;
  std::vector<Bouquet> bouquets;
  std::vector<GuideService> guide_services;  ///< by triplet; bounded by SiTables::kMaxGuideServices

  bool operator==(const MultiplexSnapshot&) const = default;
};

/// The time according to the stream.
struct BroadcastTime {
  enum class Origin : std::uint8_t { none, estimated, tdt, tot };
  Origin origin = Origin::none;
  wire::UnixSeconds utc = 0;
  std::uint64_t received = 0;  ///< increases with every received value, so that a repeated value counts as new
};

}  // namespace receiverd::dvb
