/** Recognises files that were given to the wrong import by their first bytes, so that errors name the right command. */
import { fail } from './errors.ts';
import { ownCommandInError } from './own-command.ts';

/** Bytes that `checkKind` looks at: seven packets of a transport stream. */
const headBytes = 7 * 204;

/** How a file of each kind is used. */
const kinds = {
  'channel list': {
    what: 'an IPTV channel list (M3U)',
    use: () => `import it with \`${ownCommandInError('services import FILE')}\`, or POST /bouquets/import`,
  },
  'guide file': {
    what: 'a guide file (XMLTV or epg.dat)',
    use: () => `import it with \`${ownCommandInError('epg import FILE')}\`, or POST /api/epgimport`,
  },
  'transport stream': {
    what: 'a transport stream',
    use: () =>
      `receive it as a tuner with \`${ownCommandInError('start --tuner file:FILE')}\`, or list its services with \`${ownCommandInError('scan --tuner file:FILE')}\``,
  },
  'compressed file': {
    what: 'a compressed file',
    use: () =>
      `import a compressed guide file with \`${ownCommandInError('epg import FILE')}\`, or unpack a channel list first`,
  },
  'web page': {
    what: 'a web page (HTML)',
    use: () => 'servers send such a page in place of the file; open its address in a browser',
  },
} as const;
export type FileKind = keyof typeof kinds;

/**
 * Checks that a file is not of another kind than the `wanted` one, and returns a source that still yields all bytes.
 * Content that is of no known kind passes.
 * @throws ReceiverError `wrong-file`
 */
export async function checkKind(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  wanted: FileKind,
): Promise<{ readonly head: Buffer; readonly whole: AsyncIterable<Uint8Array> }> {
  const peeked = await peek(source, headBytes);
  const kind = kindOf(peeked.head);
  if (kind !== undefined && kind !== wanted)
    throw fail('wrong-file', kinds[kind].what, kinds[wanted].what, kinds[kind].use());
  return peeked;
}

function kindOf(head: Buffer): FileKind | undefined {
  // In a text, the sync byte is the letter G, which may recur, too.
  if (head.some(isControl) && isTransportStream(head)) return 'transport stream';
  if (head.subarray(4, 14).equals(epgDatName)) return 'guide file';
  if (compressions.some((magic) => head.toString('hex', 0, 5).startsWith(magic))) return 'compressed file';
  const text = head.toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  if (/^#EXT(?:M3U|INF)/i.test(text)) return 'channel list';
  if (!text.startsWith('<')) return undefined;
  const [, root = ''] = /<(?:!doctype\s+)?([a-z]+)[\s>]/i.exec(text) ?? [];
  if (/^tv$/i.test(root)) return 'guide file';
  return /^(?:html|head|body)$/i.test(root) ? 'web page' : undefined;
}

/** Follows the four bytes of the byte order mark in an epg.dat. */
export const epgDatName = Buffer.from('ENIGMA_EPG');

/** First bytes of gzip and xz, in hexadecimal. */
const compressions = ['1f8b', 'fd377a585a'];

const syncByte = 0x47;

/** Bytes that are in every transport stream, and in no text. */
const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32);

/** Whether there are five packets of 188 bytes in a row, alone or with the 4 or 16 bytes that some formats add. */
function isTransportStream(head: Buffer): boolean {
  for (const size of [188, 192, 204]) {
    for (let first = 0; first < size && first + 4 * size < head.length; first++) {
      if ([0, 1, 2, 3, 4].every((packet) => head[first + packet * size] === syncByte)) return true;
    }
  }
  return false;
}

/** Returns the first `length` bytes, or fewer if the source ends, and a source that still yields all bytes. */
export async function peek(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Buffer; readonly whole: AsyncIterable<Uint8Array> }> {
  const iterator = iteratorOf(source);
  let head = Buffer.alloc(0);
  let ended = false;
  while (head.length < length && !ended) {
    const { done, value } = await iterator.next();
    ended = done === true;
    if (!ended) head = Buffer.concat([head, value as Uint8Array]);
  }
  const whole = async function* () {
    if (head.length > 0) yield head;
    if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { head, whole: whole() };
}

function iteratorOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
  return (async function* () {
    yield* source;
  })();
}
