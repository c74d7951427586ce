/** What the kernel says of tuners: drivers tell only there which firmware they miss. */
import { closeSync, constants, openSync, readSync } from 'node:fs';

/** Bound of the ring that is read, in messages; each is at most 8 KiB. */
const mostMessages = 20_000;
const longestMessage = 8192;

/** Those in the ring (/dev/kmsg), without their prefix; none if this user may not read them. */
export function kernelMessages(path = '/dev/kmsg'): readonly string[] {
  const messages: string[] = [];
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return messages;
  }
  const buffer = Buffer.alloc(longestMessage);
  try {
    while (messages.length < mostMessages) {
      // One message a read; the last one is followed by EAGAIN.
      const size = readSync(file, buffer);
      if (size === 0) break;
      const text = buffer.toString('utf8', 0, size);
      messages.push(text.slice(text.indexOf(';') + 1).split('\n', 1)[0] ?? '');
    }
  } catch {
    // Old messages that were overwritten meanwhile, or the end.
  } finally {
    closeSync(file);
  }
  return messages;
}

/** Names of firmware files for tuners that were looked for and not found, each once. */
export function missingFirmware(messages: readonly string[]): readonly string[] {
  const names = messages.flatMap((message) => {
    const [, name] =
      /Direct firmware load for (\S+) failed/.exec(message) ?? /firmware file '([^']+)' not found/.exec(message) ?? [];
    return name !== undefined && /dvb|dib|tuner|demod|fe-/i.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}
