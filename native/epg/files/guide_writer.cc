#include <array>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "epg/files/guide_sections.h"
#include "epg/files/guide_snapshot.h"
#include "wire/json_writer.h"

namespace receiverd::epg {

using namespace snapshot_parts;

namespace {

template <typename Element>
void write_column(SnapshotWriter& writer, const std::string& name, const Column<Element>& column) {
  writer.begin_section(name, sizeof(Element));
  column.each_chunk([&](std::span<const Element> chunk) { writer.append(chunk); });
}

}  // namespace

/// Writes the content of a store into a snapshot.
class GuideWriter {
 public:
  explicit GuideWriter(Store& store) : store_(store) {}

  /// Settles index and memory, then writes the store. Holds the writer lock throughout.
  void write(SnapshotWriter& writer, GuideSaved& saved) {
    // Only the holder of writer_ changes anything, so this thread may read without mutex_.
    const std::lock_guard writers(store_.writer_);
    store_.maintain(true);
    saved.events = store_.events_;
    saved.generation = store_.generation();
    const Programmes& programmes = store_.programmes_;
    writer.section("layout", std::array{Layout()});
    writer.section("guide", std::array{Totals{store_.events_, store_.free_slot_, store_.imports_}});

    std::vector<ServiceRow> rows;
    std::vector<SubTableRow> tables;
    for (const auto& service : store_.services_) {
      ServiceRow row;
      if (service != nullptr) {
        row = {service->key.original_network_id,
               service->key.transport_stream_id,
               service->key.service_id,
               1,
               service->announced ? std::uint8_t{1} : std::uint8_t{0},
               service->present,
               service->following,
               static_cast<std::uint32_t>(service->timeline.size()),
               static_cast<std::uint32_t>(service->sub_tables.size())};
        for (const SubTable& table : service->sub_tables) tables.push_back({table.table_id(), table.run()});
      }
      rows.push_back(row);
    }
    writer.section("services", rows);
    writer.section("sub_tables", tables);
    writer.begin_section("timelines", sizeof(EventSlot));
    for (const auto& service : store_.services_) {
      if (service != nullptr) writer.append(service->timeline.slots());
    }

    write_column(writer, "events", store_.records_);
    write_column(writer, "programmes", programmes.programmes_);
    std::vector<std::uint32_t> sizes;
    for (const auto& slots : programmes.arrays_) sizes.push_back(static_cast<std::uint32_t>(slots.size()));
    writer.section("array_sizes", sizes);
    writer.begin_section("arrays", sizeof(EventSlot));
    for (const auto& slots : programmes.arrays_) writer.append(slots);

    for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
      write_pool(writer, kind, programmes.texts_[kind]);
      write_index(writer, kPoolNames[kind], programmes.words_[kind]);
    }
    write_index(writer, kGrams, programmes.title_grams_);
    write_pool(writer, kTextKinds, programmes.details_);
  }

 private:
  static void write_pool(SnapshotWriter& writer, std::size_t number, const TextPool& pool) {
    writer.section(name_of(number, "pool"),
                   std::array{PoolRow{pool.text_bytes_, pool.learnt_from_, pool.current_, pool.codec_}});
    write_column(writer, name_of(number, "slots"), pool.slots_);
    for (std::size_t codec = 0; codec < pool.codecs_.size(); ++codec) {
      std::string table;
      if (pool.codecs_[codec] != nullptr) pool.codecs_[codec]->save(table);
      writer.section(name_of(number, codec == 0 ? "codec0" : "codec1"), table);
    }
    std::vector<ChunkRow> rows;
    for (const TextPool::Chunk& chunk : pool.chunks_) {
      const bool present = chunk.bytes != nullptr;
      rows.push_back({present ? chunk.used : 0, present ? std::uint16_t{1} : std::uint16_t{0}, chunk.codec});
    }
    writer.section(name_of(number, "chunks"), rows);
    writer.begin_section(name_of(number, "texts"), 1);
    const std::vector<char> zeros(TextPool::kChunkSize);
    for (const TextPool::Chunk& chunk : pool.chunks_) {
      if (chunk.bytes == nullptr) continue;
      // The rest of the chunk was never initialised.
      writer.append(std::span(chunk.bytes, chunk.used));
      writer.append(std::span(zeros).first(TextPool::kChunkSize - chunk.used));
    }
  }

  static void write_index(SnapshotWriter& writer, const std::string& name, const WordIndex& index) {
    std::vector<std::uint64_t> sizes;
    writer.begin_section(name + ".words", 1);
    index.each_segment([&](std::span<const std::byte> segment) {
      writer.append(segment);
      sizes.push_back(segment.size());
    });
    writer.section(name + ".word_sizes", sizes);
    writer.section(name + ".dead", index.dead());
  }

  Store& store_;
};

GuideSaved save_guide(Store& store, const std::string& path, wire::UnixSeconds now) {
  GuideSaved saved;
  try {
    SnapshotWriter writer(path, kContent, now);
    if (writer.ok()) GuideWriter(store).write(writer, saved);
    saved.written = writer.finish();
  } catch (const std::bad_alloc&) {
    saved.written = {"out of memory", 0};
  }
  return saved;
}

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

}  // namespace receiverd::epg
