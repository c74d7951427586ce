// Reads the channels and programmes of an XMLTV document, and maps the elements of xmltv.dtd (XMLTV project) to fields
// of guide events.
//
//   channel      id, display-name*, icon*
//   programme    start, stop, channel; title* sub-title* desc* credits date category* length episode-num* rating*
//                star-rating* icon*
//
//   title                  the title; of several languages, the most preferred, else the first
//   sub-title              the short text; if there is none, the episode number: `S2 E5`, or as displayed
//   desc                   the long text; add_facts() appends other elements to it
//   category               genres, see categories.h
//   rating                 parental rating, see values.h
//   icon                   the picture or the logo, if its address is an http or https URL of at most 255 bytes
//
// Other elements are ignored. A text longer than kMaxTextBytes is cut between characters.
//
// Memory: one programme, and the channels of one piece. Thread safety: none; one owner.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"
#include "xmltv/categories.h"
#include "xmltv/text.h"
#include "xmltv/xml_reader.h"

namespace receiverd::xmltv {

struct Channel {
  std::string id;                  ///< cut at kMaxIdBytes
  std::vector<std::string> names;  ///< at most kMaxNames, each cut at kMaxNameBytes
  std::string icon;                ///< the address of its logo; empty if there is none
};

struct Programme {
  std::string channel;
  epg::Event event;  ///< without id; duration 0 while the end is unknown
  /// `length`, in seconds: its duration without advertisements; 0 = not given.
  std::uint32_t length = 0;
};

struct XmltvCounters {
  std::uint64_t programmes = 0;
  std::uint64_t malformed = 0;     ///< left out: no channel, or unreadable times
  std::uint64_t cut_texts = 0;     ///< longer than kMaxTextBytes
  std::uint64_t broken_texts = 0;  ///< with bytes that are not UTF-8
};

struct XmltvOptions {
  std::vector<epg::Language> languages;  ///< in order of preference
  Categories categories;
};

class XmltvReader : public XmlHandler {
 public:
  static constexpr std::size_t kMaxTextBytes = std::size_t{32} << 10;
  static constexpr std::size_t kMaxIdBytes = 256;
  static constexpr std::size_t kMaxNames = 8;
  static constexpr std::size_t kMaxNameBytes = 128;
  /// For the names of one kind of credits, such as the actors.
  static constexpr std::size_t kMaxCreditsBytes = 1024;
  /// Lines of the long text for credits, one for each kind.
  static constexpr std::size_t kCreditLines = 9;
  /// Longer durations are cut here; the store cuts at epg::kMaxDurationSeconds.
  static constexpr std::uint32_t kMaxDurationSeconds = 0xFFFFFF;

  explicit XmltvReader(XmltvOptions options);

  XmlNext start_element(std::string_view name, const XmlAttributes& attributes) override;
  void text(std::string_view piece) override;
  XmlNext end_element(std::string_view name) override;
  std::string refusal() const override;

  const XmltvCounters& read_counters() const { return counters_; }

 protected:
  /// Called for each channel and programme of the document; they may move the contents away. The result tells the
  /// reader to pause or proceed.
  virtual XmlNext channel(Channel& channel) = 0;
  virtual XmlNext programme(Programme& programme) = 0;

 private:
  enum class Inside : std::uint8_t { nothing, channel, programme };
  struct Field;
  static const Field kFields[];

  void start_programme(const XmlAttributes& attributes);
  void share_slot(std::string_view clump);
  std::string_view id_of(std::string_view value);
  bool tidy_text(Whitespace whitespace);
  void take_text(std::string& into, int& rank, Whitespace whitespace);
  void take_title();
  void take_sub_title();
  void take_desc();
  void take_display_name();
  void take_category();
  void take_rating();
  void take_length();
  void take_episode();
  void take_date();
  void take_icon();
  void take_logo();
  void take_star_rating();
  void take_credit(std::string_view kind);
  /// Appends facts without a field of their own to the long text: one line of episode number, year and star rating (`S2
  /// E5 · 2019 · IMDb 7.5/10`), and a line for each kind of credits.
  void add_facts();
  XmlNext finish_programme();

  XmltvOptions options_;
  XmltvCounters counters_;
  std::size_t depth_ = 0;
  bool refused_ = false;
  Inside inside_ = Inside::nothing;
  Channel channel_;
  Programme programme_;
  bool times_known_ = false;

  const Field* field_ = nullptr;  // the element being read
  std::string text_;
  std::string attribute_;

  // How well the language of the text chosen so far matches the preferences, 0 = best; kNoRank if there is none yet.
  static constexpr int kNoRank = 0x7FFF;
  int title_rank_ = kNoRank;
  int sub_title_rank_ = kNoRank;
  int desc_rank_ = kNoRank;
  std::string episode_;
  std::string year_;
  std::string star_rating_;
  std::array<std::string, kCreditLines> credits_;  // names of each kind, see kCreditKinds
  std::string id_;
};

}  // namespace receiverd::xmltv
