// What systemd wants to hear of a service, as of sd_notify(3): one datagram for each message. Node has no such sockets,
// and libsystemd would be a further system library for this one call.
//
// Thread safety: any thread.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::device {

/// Sends a message such as `READY=1` to `socket`: an absolute path, or `@NAME` of an abstract one. Never blocks.
/// Returns 0, or the errno: EAGAIN if the socket is full.
int notify(const std::string& socket, std::string_view message);

}  // namespace receiverd::device
