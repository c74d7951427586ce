/** Opens the input of a command: a file, standard input (`-`), or an http(s) URL. */
import { once } from 'node:events';
import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { fail, ReceiverError, systemReason } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { urlOf } from '../base/url.ts';

/** The argument that means standard input or output. */
export const standard = '-';

/** Begins an address of the web. */
export const webUrl = /^https?:\/\//i;

/** Of a download as it is sent, which is mostly compressed. */
const maxDownloadBytes = 2 ** 30;
/** Time without a byte after which a download fails. */
const idleTimeoutMs = 10_000;

/**
 * Opens a file, `-` or an http(s) URL. `what` describes the expected content, for messages. `size`: bytes, if known.
 * @throws ReceiverError
 */
export async function openInput(
  file: string,
  what: string,
): Promise<{ readonly source: Readable; readonly size: number | undefined }> {
  const url = webUrl.test(file) ? urlOf(file) : undefined;
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
  // The reader of the stream handles errors; one before the first read must not end the program.
  source.on('error', () => undefined);
  return { source, size: status.isFile() ? status.size : undefined };
}

/** The status of a file; undefined if it does not exist. */
export function statusOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

/**
 * Downloads a file of at most 1 GB, following up to `redirects` redirects. Fails after 10 s without a byte. Errors in
 * the body are emitted by the stream.
 * @throws ReceiverError, which names only the host, because URLs of providers contain passwords
 */
export async function download(url: URL, redirects = 5): Promise<Readable> {
  if (!webUrl.test(url.href)) throw fail('unsupported', `a redirect to ${url.protocol}`);
  const headers = { 'user-agent': 'receiverd' };
  const request = (url.protocol === 'https:' ? https : http).get(url, { headers, timeout: idleTimeoutMs });
  request.on('timeout', () => request.destroy(new Error('no answer')));
  const [response] = (await once(request, 'response').catch((error: Error) => {
    throw fail('file-unreadable', url.host, error.message);
  })) as [http.IncomingMessage];
  request.removeAllListeners('timeout').on('timeout', () => response.destroy(new Error('sends no more data')));
  // The reader of the stream handles them.
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
    yield* limitBytes(response, `the file of ${host}`, maxDownloadBytes);
  } catch (error) {
    throw error instanceof ReceiverError ? error : fail('file-unreadable', host, (error as Error).message);
  }
}
