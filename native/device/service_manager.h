// Notifies systemd of the state of the service, like sd_notify(3): one datagram per message. Node has no Unix datagram
// sockets, and libsystemd would be another system library for this one call.
//
// May be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::device {

/// Sends a message such as `READY=1` to `socket`: an absolute path, or `@NAME` for an abstract socket. Never blocks.
/// Returns 0, or an errno: EAGAIN if the socket's queue is full.
int notify(const std::string& socket, std::string_view message);

}  // namespace receiverd::device
