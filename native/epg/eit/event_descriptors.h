// Writes the descriptors of an event into a loop (EN 300 468 §6.2): for epg.dat, the `.eit` file of a recording, the
// demo multiplex and tests.
//
// Texts are passed as encoded DVB text (Annex A); utf8_text() converts UTF-8. A descriptor whose body would exceed 255
// bytes is left out, and the call returns false.
//
// Thread safety: none; one writer per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::epg {

struct EventView;

/// The bytes of an encoded text, a descriptor or a descriptor loop.
using DescriptorBytes = std::vector<std::uint8_t>;

/// Encodes UTF-8 as DVB text: the selection byte 0x15, then the text, cut between characters to `limit` bytes in all.
/// No bytes for an empty text.
DescriptorBytes utf8_text(std::string_view utf8, std::size_t limit = 255);

/// An item of the extended_event_descriptor, as DVB text ("Director": "..."); both parts together at most 247 bytes.
struct ExtendedItem {
  wire::Bytes description;
  wire::Bytes item;
};

class EventDescriptorWriter {
 public:
  static constexpr std::size_t kMaxBodyBytes = 255;
  /// Bytes of a 0x4E body besides items and text: number, language, two lengths.
  static constexpr std::size_t kExtendedFixedBytes = 6;
  static constexpr std::size_t kMaxExtendedParts = 16;

  /// Any descriptor. False if `body` has over 255 bytes.
  bool add(std::uint8_t tag, wire::Bytes body);

  /// 0x4D (§6.2.37): title and text as DVB text.
  bool short_event(std::string_view language, wire::Bytes title, wire::Bytes text);
  /// 0x4E (§6.2.15): the items, then the text cut between characters, in as many descriptors as needed. The first
  /// `selection` bytes of `text` select its character table and are repeated in every part. False if `max_parts` (at
  /// most 16) could not hold all of it.
  bool extended_event(std::string_view language, std::span<const ExtendedItem> items, wire::Bytes text,
                      std::size_t selection, std::size_t max_parts = kMaxExtendedParts);
  /// 0x54 (§6.2.9): one genre; `level` is nibble 1 and 2.
  bool content(std::uint8_t level, std::uint8_t user = 0);
  /// 0x55 (§6.2.30): minimum age in years, 4..18.
  bool parental_rating(std::string_view country, std::uint8_t age);
  /// 0x50 (§6.2.8).
  bool component(std::uint8_t stream_content, std::uint8_t component_type, std::uint8_t component_tag,
                 std::string_view language, wire::Bytes text);
  /// 0x76 (TS 102 323 §12.1), one CRID: type 1 programme, 2 series.
  bool content_identifier(std::uint8_t crid_type, std::string_view crid);

  const DescriptorBytes& loop() const { return loop_; }
  DescriptorBytes take() { return std::exchange(loop_, {}); }

 private:
  DescriptorBytes loop_;
};

/// Appends a language or country code: three characters, padded with blanks.
void put_code(DescriptorBytes& body, std::string_view code);

/// Appends a length byte and the text. With a text of over 255 bytes, the body becomes too long for add().
void put_text(DescriptorBytes& body, wire::Bytes text);

/// The first ten bytes of an event (§5.2.4): event_id, start, duration. Empty if a 16-bit MJD cannot hold the start.
DescriptorBytes event_head(const EventView& event);

/// Appends the descriptors of a stored event as Enigma2 boxes write them, at most `max_bytes` (which must be at least
/// 2000 plus a title). False if something had to be cut. Title and short text are two short_event_descriptors in UTF-8.
/// The extended text, genres, ratings, CRIDs and components follow, the most important first, because readers may stop
/// at their own limit.
bool write_event_descriptors(const EventView& event, std::size_t max_bytes, DescriptorBytes& loop);

}  // namespace receiverd::epg
