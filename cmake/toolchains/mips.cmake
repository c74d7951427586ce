# 32-bit MIPS, big endian, MIPS32r2. No box that we know needs it; it shows that the code has no byte order.
set(triple mips-linux-gnu)
set(emulator qemu-mips-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
