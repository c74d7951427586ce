// Reads XMLTV documents as channels and programmes: the elements of xmltv.dtd (XMLTV project) mapped to the guide.
//
//   channel      id, display-name*
//   programme    start, stop, channel; title* sub-title* desc* credits date category* length episode-num* rating*
//                star-rating* icon*
//
//   title                  the title; of several languages, the most preferred or else the first
//   sub-title              the short text; if there is none, the episode number: `S2 E5`, or as displayed
//   desc                   the long text; add_facts() says what follows it
//   category               genres, see categories.h
//   rating                 parental rating, see values.h
//   icon                   the picture, if its address is one of http or https of at most 255 bytes
//
// Other elements are ignored. A text longer than kLongestText is cut between characters.
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
  std::string id;                  ///< cut at kLongestId bytes
  std::vector<std::string> names;  ///< at most kMostNames, each cut at kLongestName bytes
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
  std::uint64_t cut_texts = 0;     ///< longer than kLongestText
  std::uint64_t broken_texts = 0;  ///< with bytes that are not UTF-8
};

struct XmltvOptions {
  std::vector<epg::Language> languages;  ///< the preferred ones, best first
  Categories categories;
};

class XmltvReader : public XmlHandler {
 public:
  static constexpr std::size_t kLongestText = std::size_t{32} << 10;
  static constexpr std::size_t kLongestId = 256;
  static constexpr std::size_t kMostNames = 8;
  static constexpr std::size_t kLongestName = 128;
  /// Bytes of the names of one kind, such as the actors.
  static constexpr std::size_t kLongestCredits = 1024;
  /// In seconds; the store has 24 bits for a duration.
  static constexpr std::uint32_t kLongestDuration = 0xFFFFFF;

  explicit XmltvReader(XmltvOptions options);

  XmlNext start_element(std::string_view name, const XmlAttributes& attributes) override;
  void text(std::string_view piece) override;
  XmlNext end_element(std::string_view name) override;
  std::string refusal() const override;

  const XmltvCounters& read_counters() const { return counters_; }

 protected:
  /// What the document holds; they may move the contents away. The result tells the reader to pause or proceed.
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
  void take_star_rating();
  void take_credit(std::string_view kind);
  /// Appends to the long text what a DVB event has no other place for: a line of episode number, year and stars, `S2 E5
  /// · 2019 · IMDb 7.5/10`, and one for the directors, the actors, the presenters and the guests.
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

  const Field* field_ = nullptr;  // the one being read
  std::string text_;
  std::string attribute_;

  // How well the language of the text taken matches the preferences, 0 = best; kUntaken before any is taken.
  static constexpr int kUntaken = 0x7FFF;
  int title_rank_ = kUntaken;
  int sub_title_rank_ = kUntaken;
  int desc_rank_ = kUntaken;
  std::string episode_;
  std::string year_;
  std::string stars_;
  std::array<std::string, 4> credits_;  // names of each kind, see kCreditKinds
  std::string id_;
};

}  // namespace receiverd::xmltv
