#include "epg/arib/si_rules.h"

#include <algorithm>
#include <string_view>

#include "wire/descriptors.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

namespace sign {
constexpr std::uint8_t kShortEvent = 0x4D;
constexpr std::uint8_t kLocalTimeOffset = 0x58;
constexpr std::uint8_t kPrivateDataSpecifier = 0x5F;
constexpr std::uint8_t kIsdbTerrestrial = 0xFA;
constexpr std::uint8_t kSystemManagement = 0xFE;
}  // namespace sign

/// Standard time of the countries with ISDB-T, in minutes.
struct Country {
  std::string_view code;
  int minutes;
};
constexpr Country kCountries[] = {
    {"ARG", -180}, {"BOL", -240}, {"BRA", -180}, {"BWA", 120},  {"CHL", -240}, {"CRI", -360},
    {"ECU", -300}, {"GTM", -360}, {"HND", -360}, {"LKA", 330},  {"MDV", 300},  {"NIC", -360},
    {"PER", -300}, {"PHL", 480},  {"PRY", -180}, {"SLV", -360}, {"URY", -180}, {"VEN", -240},
};

bool is_japanese_terrestrial(std::uint16_t network) { return network >= 0x7880 && network <= 0x7FEF; }
bool is_japanese_satellite(std::uint16_t network) { return network == 4 || network == 6 || network == 7; }

/// A system_management_descriptor (STD-B10 part 2, 6.2.21) of BS, terrestrial television, CS or sound broadcasting.
bool is_system_management(Bytes body) {
  return body.size() >= 2 && (body[0] & 0x3F) >= 2 && (body[0] & 0x3F) <= 6 && body[1] == 1;
}

/// A terrestrial_delivery_system_descriptor (STD-B10 part 2, 6.2.31): frequencies in units of 1/7 MHz.
bool is_isdb_terrestrial(Bytes body) {
  Cursor cursor(body);
  cursor.skip(2);
  bool all = cursor.left() >= 2 && cursor.left() % 2 == 0;
  while (all && cursor.left() > 0) {
    const std::uint16_t frequency = cursor.u16();
    all = frequency >= 90 * 7 && frequency <= 800 * 7;
  }
  return all;
}

/// The descriptors of a TOT; nothing if it is malformed.
std::optional<Bytes> tot_descriptors(Bytes section) {
  Cursor cursor(section);
  cursor.skip(8);
  const Bytes descriptors = cursor.take(cursor.u16() & 0x0FFF);
  return cursor.ok() ? std::optional(descriptors) : std::nullopt;
}

}  // namespace

SiRules rules_of_network(std::uint16_t original_network_id) {
  return is_japanese_terrestrial(original_network_id) ? kJapan : SiRules{};
}

SiRules rules_of_nit(Bytes descriptors, std::uint16_t network_id) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == sign::kPrivateDataSpecifier) break;
    const bool terrestrial = descriptor.tag == sign::kIsdbTerrestrial && is_isdb_terrestrial(descriptor.body);
    const bool managed = descriptor.tag == sign::kSystemManagement && is_system_management(descriptor.body);
    if (!terrestrial && !managed) continue;
    constexpr std::uint8_t kTerrestrialSystem = 3;
    const bool is_japanese = is_japanese_terrestrial(network_id) || is_japanese_satellite(network_id) ||
                             (managed && (descriptor.body[0] & 0x3F) != kTerrestrialSystem);
    return is_japanese ? kJapan : kBrazil;
  }
  return {};
}

SiRules rules_of_eit(Bytes section) {
  Cursor cursor(section);
  cursor.skip(10);
  const std::uint16_t network = cursor.u16();
  cursor.skip(2);
  if (!is_japanese_satellite(network)) return rules_of_network(network);
  while (cursor.left() > 0) {
    cursor.skip(10);
    wire::DescriptorLoop loop(cursor.take(cursor.u16() & 0x0FFF));
    for (wire::Descriptor descriptor; loop.next(descriptor);) {
      if (descriptor.tag == sign::kShortEvent && wire::text_of(descriptor.body).starts_with("jpn")) return kJapan;
    }
  }
  return {};
}

std::optional<std::int32_t> zone_of_tot(Bytes section) {
  wire::DescriptorLoop loop(tot_descriptors(section).value_or(Bytes{}));
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != sign::kLocalTimeOffset) continue;
    const auto* const country =
        std::ranges::find(kCountries, wire::text_of(descriptor.body).substr(0, 3), &Country::code);
    if (country != std::end(kCountries)) return country->minutes * 60;
  }
  return std::nullopt;
}

bool may_be_local_time(Bytes tot_section) {
  const auto descriptors = tot_descriptors(tot_section);
  return descriptors && (descriptors->empty() || zone_of_tot(tot_section));
}

}  // namespace receiverd::epg
