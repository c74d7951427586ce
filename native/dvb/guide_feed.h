// Passes the EIT sections of a tuner to the guide's ingest, which never blocks the tuner thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "dvb/section_sink.h"
#include "epg/ingest.h"

namespace receiverd::dvb {

class GuideFeed final : public EitSink {
 public:
  explicit GuideFeed(std::shared_ptr<epg::Ingest> ingest) : ingest_(std::move(ingest)) {}

  void eit_section(wire::Bytes section, std::uint16_t pid) override { ingest_->eit_section(section, pid); }

 private:
  const std::shared_ptr<epg::Ingest> ingest_;
};

}  // namespace receiverd::dvb
