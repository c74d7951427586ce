// What an import reports to JavaScript after each step, as JSON:
//
//   {"state":"more"|"asks"|"done"|"failed","bytes","programmes","imported","ended","malformed","refused","cutTexts",
//    "brokenTexts","unknownEntities","channels":{"matched","unmatched"},"programmesWithoutService",
//   "asked":[{"id","names":[]}],                                    state asks only
//   "error":{"what","line","column"},                               state failed only
//   "unmatched":[{"id","name","programmes"}]}                       done and failed: those with the most programmes
#pragma once

#include <string>

#include "xmltv/importer.h"

namespace receiverd::xmltv {

std::string import_report(const Importer& importer, Importer::State state);

}  // namespace receiverd::xmltv
