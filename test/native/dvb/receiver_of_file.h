// Reader, demux and multiplex over a whole file, for tests on recorded streams.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dvb/multiplex/multiplex.h"
#include "dvb/observer.h"
#include "dvb/packets/packet_reader.h"

namespace receiverd::dvb {

/// The folder of recorded streams: "ts" in RECEIVERD_TEST_DATA.
inline std::filesystem::path recorded_streams() {
  const char* folder = std::getenv("RECEIVERD_TEST_DATA");
  return folder != nullptr ? std::filesystem::path(folder) / "ts" : std::filesystem::path();
}

inline bool has_recorded_streams() { return std::filesystem::is_directory(recorded_streams()); }

inline std::string recorded_stream(const char* name) { return (recorded_streams() / name).string(); }

class ReceiverOfFile {
 public:
  explicit ReceiverOfFile(const std::string& path, std::size_t chunk_size = 65536) : multiplex(demux, observer) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint8_t> chunk(chunk_size);
    while (file) {
      file.read(reinterpret_cast<char*>(chunk.data()), static_cast<std::streamsize>(chunk.size()));
      reader.feed(wire::Bytes(chunk).first(static_cast<std::size_t>(file.gcount())));
      for (wire::Bytes packets; !(packets = reader.next()).empty();) demux.feed(packets);
      multiplex.publish();
    }
  }

  PidStatistics statistics(std::uint16_t pid) const {
    for (const PidStatistics& one : demux.statistics()) {
      if (one.pid == pid) return one;
    }
    return {};
  }

  PacketReader reader;
  Demux demux;
  Observer observer;
  Multiplex multiplex;
};

}  // namespace receiverd::dvb
