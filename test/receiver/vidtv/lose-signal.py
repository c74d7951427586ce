"""Takes the signal from a front end that a program has open: tunes it away, by the program's own descriptor, for a while.

Usage: lose-signal.py PID DEVICE SECONDS. The virtual driver has no weak signal, and one front end has one writer.
"""
import ctypes, fcntl, os, struct, sys, time

DTV_TUNE, DTV_FREQUENCY = 1, 3
FE_SET_PROPERTY = 0x40106F52
SYS_PIDFD_GETFD = 438


def property_of(command, value):
    # struct dtv_property: command, three reserved, a union of 56 bytes that begins with the value, result.
    return struct.pack('=IIII', command, 0, 0, 0) + struct.pack('=I52x', value) + struct.pack('=i', 0)


def descriptor_of(pid, device):
    folder = f'/proc/{pid}/fd'
    for name in os.listdir(folder):
        if os.readlink(f'{folder}/{name}') == device:
            found = ctypes.CDLL(None, use_errno=True).syscall(SYS_PIDFD_GETFD, os.pidfd_open(pid), int(name), 0)
            if found < 0:
                raise OSError(ctypes.get_errno(), 'pidfd_getfd')
            return found
    raise SystemExit(f'{pid} does not have {device} open')


pid, device, seconds = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
descriptor = descriptor_of(pid, device)
properties = ctypes.create_string_buffer(property_of(DTV_FREQUENCY, 700_000_000) + property_of(DTV_TUNE, 0))
order = struct.pack('@IP', 2, ctypes.addressof(properties))
end = time.monotonic() + seconds
while time.monotonic() < end:
    fcntl.ioctl(descriptor, FE_SET_PROPERTY, order)
    time.sleep(0.1)
