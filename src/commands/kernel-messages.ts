/** Reads the kernel's messages about tuners. Only there do drivers say which firmware is missing. */
import { closeSync, constants, openSync, readSync } from 'node:fs';

const maxMessages = 20_000;
const maxMessageBytes = 8192;

/** The messages in the kernel's ring buffer (/dev/kmsg), without their prefix; none if this user may not read them. */
export function kernelMessages(path = '/dev/kmsg'): readonly string[] {
  const messages: string[] = [];
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return messages;
  }
  const buffer = Buffer.alloc(maxMessageBytes);
  try {
    while (messages.length < maxMessages) {
      // Each read returns one message; after the last one it fails with EAGAIN.
      const size = readSync(file, buffer);
      if (size === 0) break;
      const text = buffer.toString('utf8', 0, size);
      messages.push(text.slice(text.indexOf(';') + 1).split('\n', 1)[0] ?? '');
    }
  } catch {
    // EAGAIN at the end, or EPIPE for messages that were overwritten meanwhile.
  } finally {
    closeSync(file);
  }
  return messages;
}

/** Names of the firmware files for tuners that the kernel has not found, without duplicates. */
export function missingFirmware(messages: readonly string[]): readonly string[] {
  const names = messages.flatMap((message) => {
    const [, name] =
      /Direct firmware load for (\S+) failed/.exec(message) ?? /firmware file '([^']+)' not found/.exec(message) ?? [];
    return name !== undefined && /dvb|dib|tuner|demod|fe-/i.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}
