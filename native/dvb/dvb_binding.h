// The JavaScript interface of native/dvb; the typed side is src/dvb/tuner.ts.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "dvb/tuner.h"

namespace receiverd::dvb {

/// A kind of tuner, and how its source is made from a specification (src/config/tuner-spec.ts).
struct SourceKind {
  std::string kind;
  Tuner::SourceFactory (*factory)(const Napi::Object& specification, Tuner::Options& options);
};

/// `file`: { path, loop, paced }.
Tuner::SourceFactory file_source_factory(const Napi::Object& specification, Tuner::Options& options);

/// `pipe`: { descriptor } of one that stays open (open_pipe), which is played in real time.
Tuner::SourceFactory pipe_source_factory(const Napi::Object& specification, Tuner::Options& options);

/// Adds the classes `Tuner`, `ServiceStream` and `PidStream`, the names of `kinds` as `tunerKinds`, and `openPipe` to
/// the addon's exports. The kinds are those that this addon contains; they must live as long as the process.
void register_binding(Napi::Env env, Napi::Object exports, const std::vector<SourceKind>& kinds);

/// The tuner of a JavaScript `Tuner`. @throws TypeError
Tuner& tuner_of(const Napi::Value& value);

/// PIDs of a Uint16Array; all for undefined.
PidSet pids_of(const Napi::Value& value);

/// The name of `end` in JavaScript.
std::string end_text(StreamEnd end);

}  // namespace receiverd::dvb
