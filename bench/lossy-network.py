"""Runs a command beside a network that loses and delays packets: OWN OTHER LOSS DELAY COMMAND...

Everything sent to the address OTHER comes back to OWN as if OTHER had sent it, DELAY ms later; LOSS percent do not. So
that programs on one machine reach each other, and the kernel's TCP sees a bad network. Unlike tc's netem, it needs no
module of the kernel; run it in a network namespace of its own (unshare -rn).
"""
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque

own, other, loss, delay = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 100, float(sys.argv[4]) / 1000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
device = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(device, TUNSETIFF, struct.pack('16sH22x', b'lossy', IFF_TUN | IFF_NO_PI))
for words in (['link', 'set', 'lo', 'up'], ['addr', 'add', own, 'peer', other, 'dev', 'lossy'], ['link', 'set', 'lossy', 'up']):
    subprocess.run(['ip', *words], check=True)

command = subprocess.Popen(sys.argv[5:])
waiting = deque()
while command.poll() is None:
    timeout = max(0, waiting[0][0] - time.monotonic()) if waiting else 0.1
    select.select([device], [], [], timeout)
    now = time.monotonic()
    try:
        while True:
            packet = os.read(device, 65536)
            # Swapping the addresses of IPv4 leaves all sums as they are.
            if packet[0] >> 4 == 4 and random.random() >= loss:
                waiting.append((now + delay, packet[:12] + packet[16:20] + packet[12:16] + packet[20:]))
    except BlockingIOError:
        pass
    while waiting and waiting[0][0] <= time.monotonic():
        os.write(device, waiting.popleft()[1])
sys.exit(command.returncode)
