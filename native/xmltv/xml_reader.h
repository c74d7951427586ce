// A push reader of XML 1.0 without DTDs, for documents of any length in little memory: the caller feeds pieces of
// any size, and a handler gets elements and texts. It reads what guide files use: elements, attributes in either
// quotes, texts, CDATA, comments, processing instructions, the five predefined entities, names of HTML's characters and
// character references. A DOCTYPE is skipped with its internal subset. No entity is ever declared, so entity expansion
// attacks are impossible.
//
// A document that is not well-formed fails with a position and a reason. Real files need two exceptions: an unknown
// entity or a bare & is read as text and counted, and of a repeated attribute the first one counts.
//
// expat is not used: it rejects the whole file for a bare &, one byte that is not UTF-8, a control character or a
// repeated attribute; it limits neither the length of tags nor nesting; and it would be the only system library
// needed to build. It takes 350 ms for 74 MB (200,809 programmes), this reader 120 ms. saxes (src/timers) would block
// the event loop for 1.4 s.
//
// Limits: kMaxTagBytes for a tag, kMaxNameBytes for a name and kMaxDepth levels of nesting; a document beyond them
// fails. Attributes of a tag beyond kMaxAttributes are ignored. There is no recursion, and texts are passed on piece by
// piece.
//
// Thread safety: none; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiverd::xmltv {

/// Where and why reading a document failed.
struct XmlError {
  std::string what;
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t column = 0;  ///< from 1, in characters
};

/// The attributes of a start tag. The views are valid during the handler call.
class XmlAttributes {
 public:
  /// The value with its references replaced; '' if there is no such attribute.
  std::string_view get(std::string_view name) const { return has(name) ? find(name)->value : std::string_view{}; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

 private:
  friend class XmlReader;
  struct Attribute {
    std::string_view name;
    std::string_view value;
  };
  const Attribute* find(std::string_view name) const;

  std::vector<Attribute> attributes_;
};

/// What to do after an element.
enum class XmlNext : std::uint8_t {
  proceed,
  pause,  ///< read() returns; it can be called again with the rest
  stop,   ///< the document is refused: read() fails with refusal()
};

class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual XmlNext start_element(std::string_view name, const XmlAttributes& attributes) = 0;
  /// A piece of the text inside the innermost open element. A piece may end inside a character.
  virtual void text(std::string_view piece) = 0;
  virtual XmlNext end_element(std::string_view name) = 0;
  /// The reason for XmlNext::stop, for the error.
  virtual std::string refusal() const { return {}; }
};

class XmlReader {
 public:
  static constexpr std::size_t kMaxTagBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMaxNameBytes = 256;
  static constexpr std::size_t kMaxAttributes = 64;
  static constexpr std::size_t kMaxDepth = 64;

  explicit XmlReader(XmlHandler& handler) : handler_(handler) {}

  /// Reads the next piece. Returns the number of bytes consumed: all of `utf8`, unless the handler paused or the
  /// document failed.
  std::size_t read(std::string_view utf8);

  /// Ends the input. False if the document is incomplete or has already failed.
  bool finish();

  bool failed() const { return failed_; }
  const XmlError& error() const { return error_; }

  /// The number of references to unknown entities, and of bare ampersands.
  std::uint64_t unknown_entities() const { return unknown_entities_; }

 private:
  enum class State : std::uint8_t {
    content,
    reference,
    markup,  // after <
    start_tag,
    end_tag,
    declaration,  // after <!
    comment,
    cdata,
    instruction,
    doctype
  };
  enum class Doctype : std::uint8_t { plain, quoted, comment, instruction };

  std::size_t read_in_state(std::string_view input, std::size_t at);
  std::size_t read_content(std::string_view input, std::size_t at);
  std::size_t read_reference(std::string_view input, std::size_t at);
  std::size_t read_markup(std::string_view input, std::size_t at);
  std::size_t read_tag(std::string_view input, std::size_t at);
  std::size_t read_declaration(std::string_view input, std::size_t at);
  std::size_t read_cdata(std::string_view input, std::size_t at);
  std::size_t read_doctype(std::string_view input, std::size_t at);
  std::size_t skip_past(std::string_view input, std::size_t at, char mark, std::uint8_t marks);
  void put_text(std::string_view text);
  void put_reference(bool terminated);
  void start_element(std::string_view tag);
  void end_element(std::string_view tag);
  bool read_attributes(std::string_view tag);
  std::string_view value_of(std::string_view raw);
  void close(std::string_view name);
  void proceed(XmlNext next);
  void fail(std::string what);
  void count_position(std::string_view passed);

  XmlHandler& handler_;
  State state_ = State::content;
  Doctype doctype_ = Doctype::plain;
  std::string token_;           // the beginning of a tag, declaration or reference that continues in the next piece
  char quote_ = 0;              // inside a quoted value, its quote
  std::uint8_t marks_ = 0;      // characters of a terminator seen so far
  std::uint32_t brackets_ = 0;  // open brackets of a DOCTYPE
  std::string open_names_;      // of the open elements, back to back
  std::vector<std::size_t> open_;
  bool root_seen_ = false;
  bool paused_ = false;
  bool failed_ = false;
  XmlAttributes attributes_;
  std::string values_;  // values that had references, back to back
  std::uint64_t unknown_entities_ = 0;
  XmlError error_;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
};

}  // namespace receiverd::xmltv
