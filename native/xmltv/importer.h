// Imports XMLTV documents into the store. The caller feeds the document in pieces, and chooses for each channel the
// services whose timelines receive its programmes.
//
//   feed(piece) ─► advance() ─┬─ more       the piece has been read: feed the next, or finish
//                    ▲        ├─ asks       asked() lists channels that have programmes: answer(), then advance again
//                    │        ├─ done       finish() was called and everything is in the store
//                    └────────┴─ failed     see error(); everything before the error is in the store
//
// The importer asks when a programme needs an answer: the first time about all channels declared so far, later about a
// channel whose first programme comes, and again about a channel without services whose names are declared afterwards.
// Programmes are stored in batches of one service, so that readers of the store wait for some hundred events at most.
//
// A programme without `stop` ends at the start of the next one on its channel if that is at most kMaxGapSeconds later,
// else after its `length`, else its duration stays unknown.
//
// Memory: kMaxChannels channels (programmes of further ones count as unmatched), one piece and the programmes read from
// it, and one programme without an end per channel.
// Thread safety: none; one call at a time, from any thread. The store does its own locking.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "epg/store/store.h"
#include "wire/json_writer.h"
#include "xmltv/input_decoder.h"
#include "xmltv/xml_reader.h"
#include "xmltv/xmltv_reader.h"

namespace receiverd::xmltv {

struct ImportCounters {
  std::uint64_t bytes = 0;      ///< of the encoded document
  std::uint64_t imported = 0;   ///< programmes stored, each counted once even if its channel has several services
  std::uint64_t ended = 0;      ///< left out: already over
  std::uint64_t unmatched = 0;  ///< left out: their channel has no service
  std::uint64_t refused = 0;    ///< batches that the store accepted only partly, because of its limits
};

class Importer final : private XmltvReader {
 public:
  static constexpr std::size_t kMaxChannels = 20'000;
  static constexpr wire::UnixSeconds kMaxGapSeconds = 24 * 3600;
  static constexpr std::size_t kMaxServicesPerChannel = 16;

  enum class State : std::uint8_t { more, asks, done, failed };

  /// Ranks of the programmes (Store::import_events): of all services, and of some.
  struct Ranks {
    int usual = 0;
    std::map<epg::DvbTriplet, int> of;
  };

  /// Programmes that ended at `not_before` (Unix seconds) or earlier are left out.
  Importer(std::shared_ptr<epg::Store> store, XmltvOptions options, wire::UnixSeconds not_before, Ranks ranks);
  Importer(std::shared_ptr<epg::Store> store, XmltvOptions options, wire::UnixSeconds not_before)
      : Importer(std::move(store), std::move(options), not_before, Ranks()) {}
  ~Importer() override = default;
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  /// Takes the next piece, of any size. REQUIRES: the state is `more`.
  void feed(wire::Bytes piece);
  /// Ends the input. REQUIRES: the state is `more`.
  void finish();
  /// Processes the input so far.
  State advance();

  struct Question {
    std::string id;
    std::vector<std::string> names;
    std::string icon;  ///< the address of its logo; empty if there is none
  };
  /// The channels to choose services for, in document order.
  const std::vector<Question>& asked() const { return questions_; }
  /// The services of each of them, none for a channel that is not received.
  void answer(std::vector<std::vector<epg::DvbTriplet>> services);

  const XmlError& error() const { return error_; }
  const ImportCounters& counters() const { return counters_; }
  using XmltvReader::read_counters;

  /// Channels answered so far, with and without services.
  std::size_t matched() const { return matched_; }
  std::size_t unmatched() const { return answered_ - matched_; }

  /// The result of advance() for JavaScript, as JSON:
  ///
  ///   {"state":"more"|"asks"|"done"|"failed","bytes","programmes","imported","ended","malformed","refused","cutTexts",
  ///    "brokenTexts","unknownEntities","channels":{"matched","unmatched"},"programmesWithoutService",
  ///   "asked":[{"id","names":[],"icon"?}],                            state asks only
  ///   "error":{"what","line","column"},                               state failed only
  ///   "unmatched":[{"id","name","programmes"}]}                       done and failed, most programmes first
  std::string report() const;

 private:
  enum class Asked : std::uint8_t { not_yet, asked, answered };
  struct ChannelRecord {
    std::string id;
    std::string name;
    Asked state = Asked::not_yet;
    bool counted = false;  ///< in answered_
    std::vector<epg::DvbTriplet> services;
    std::uint64_t programmes = 0;
    std::optional<Programme> open;  ///< the last one, while its end is unknown
    std::vector<epg::Event> batch;
  };
  static constexpr std::size_t kNoChannel = static_cast<std::size_t>(-1);

  XmlNext channel(Channel& channel) override;
  XmlNext programme(Programme& programme) override;

  void ask(std::size_t channel, std::vector<std::string> names, std::string icon = {});
  std::size_t channel_index(std::string_view id);
  void take(std::size_t channel, Programme& programme);
  void put(std::size_t channel, epg::Event& event);
  void close_open_programmes();
  void flush(ChannelRecord& channel);
  void flush_all();
  State fail(XmlError error);
  void write_unmatched(wire::JsonWriter& json) const;

  const std::shared_ptr<epg::Store> store_;
  const wire::UnixSeconds not_before_;
  const std::uint8_t import_;
  const Ranks ranks_;
  XmlReader xml_{*this};
  InputDecoder decoder_;

  std::string input_;     // the current piece as UTF-8
  std::size_t read_ = 0;  // bytes of input_ read so far
  bool last_ = false;     // finish() was called
  bool supported_ = true;
  State state_ = State::more;
  XmlError error_;

  std::vector<ChannelRecord> channels_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::size_t current_ = kNoChannel;
  std::vector<std::size_t> asked_;
  std::vector<Question> questions_;
  std::optional<Programme> waiting_;  // the programme whose channel is being asked about
  std::vector<std::size_t> filled_;   // channels whose batch is not empty
  ImportCounters counters_;
  std::size_t answered_ = 0;
  std::size_t matched_ = 0;
};

}  // namespace receiverd::xmltv
