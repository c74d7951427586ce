// The tables of the demo multiplex that never change while it runs, and TDT and TOT.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/lineup.h"
#include "demo/schedule.h"
#include "dvb/packets/section.h"

namespace receiverd::demo {

std::vector<dvb::Section> pat_sections();
std::vector<dvb::Section> pmt_sections(const LineupEntry& service);

/// SDTs of this multiplex (actual), and of a second one that the network announces (other).
std::vector<dvb::Section> sdt_actual_sections();
std::vector<dvb::Section> sdt_other_sections();

/// NIT of a terrestrial network: delivery system, service list and logical channel numbers (EACEM) of both multiplexes.
std::vector<dvb::Section> nit_sections();
std::vector<dvb::Section> bat_sections();

std::vector<dvb::Section> tdt_sections(std::int64_t unix_seconds);

/// The TOT has the current UTC offset and, if it is within a year, the next change; both are found with `utc_offset`.
std::vector<dvb::Section> tot_sections(std::int64_t unix_seconds, const UtcOffset& utc_offset);

}  // namespace receiverd::demo
