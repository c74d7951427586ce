/** What a command reads: a file, standard input (`-`), or a file of the web. */
import { once } from 'node:events';
import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { fail, ReceiverError, systemReason } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { urlOf } from '../base/url.ts';

/** The name of standard input and output. */
export const standard = '-';

const webAddress = /^https?:\/\//i;

/** Bound of a download in bytes, as it comes: mostly compressed. */
const largestDownload = 2 ** 30;
/** Milliseconds without a byte after which a download fails. */
const idle = 10_000;

/**
 * Opens a file, `-` or an http(s) address. `what` names what is expected on standard input.
 * @throws ReceiverError
 */
export async function openInput(
  file: string,
  what: string,
): Promise<{ readonly source: Readable; readonly size: number | undefined }> {
  const url = webAddress.test(file) ? urlOf(file) : undefined;
  if (url) return { source: await download(url), size: undefined };
  if (file === standard) {
    if (process.stdin.isTTY)
      throw new ReceiverError('file-unreadable', `standard input is a terminal; pipe ${what} in`);
    return { source: process.stdin, size: undefined };
  }
  const status = statusOf(file);
  if (status === undefined) throw fail('file-unreadable', file, 'no such file or directory');
  if (status.isDirectory()) throw fail('file-unreadable', file, 'is a folder');
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw fail('file-unreadable', file, systemReason(error));
  }
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  // Its reader reports errors; one that comes before the first read must not end the program.
  source.on('error', () => undefined);
  return { source, size: status.isFile() ? status.size : undefined };
}

export function statusOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

/**
 * GETs a file: at most 1 GB, `redirects` redirects, and 10 s without a byte. Its reader gets the errors of the body.
 * @throws ReceiverError, which names the host alone: addresses of providers carry passwords
 */
export async function download(url: URL, redirects = 5): Promise<Readable> {
  if (!webAddress.test(url.href)) throw fail('unsupported', `a redirect to ${url.protocol}`);
  const headers = { 'user-agent': 'receiverd' };
  const asking = (url.protocol === 'https:' ? https : http).get(url, { headers, timeout: idle });
  asking.on('timeout', () => asking.destroy(new Error('no answer')));
  const [response] = (await once(asking, 'response').catch((error: Error) => {
    throw fail('file-unreadable', url.host, error.message);
  })) as [http.IncomingMessage];
  asking.removeAllListeners('timeout').on('timeout', () => response.destroy(new Error('sends no more data')));
  // Its reader gets them.
  response.on('error', () => undefined);
  const { statusCode: status = 0 } = response;
  if (status === 200) return Readable.from(bodyOf(response, url.host), { objectMode: false });
  response.destroy();
  const { location } = response.headers;
  const next = location === undefined ? undefined : urlOf(location, url.href);
  if (status < 301 || status > 308 || redirects === 0 || next === undefined)
    throw fail('file-unreadable', url.host, `responds with status ${status}`);
  return download(next, redirects - 1);
}

async function* bodyOf(response: http.IncomingMessage, host: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* limitBytes(response, `the file of ${host}`, largestDownload);
  } catch (error) {
    throw error instanceof ReceiverError ? error : fail('file-unreadable', host, (error as Error).message);
  }
}
