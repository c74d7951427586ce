/**
 * `POST /api/evil`. Other receivers run the code that a client sends to this path. This receiver runs nothing: it compares
 * the text with four words, and does not even log it.
 */
import os from 'node:os';
import * as Type from 'typebox';
import { fail, tooManyRequests } from '../../../base/errors.ts';
import { route } from '../../endpoint/route.ts';
import { text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, recordSchema } from '../../write/record.ts';

/** Maximum bytes of a request body. */
const bodyLimit = 4096;
const maxRequestsPerSecond = 10;

const reports = {
  echo: () => 'echo',
  platform: () => os.type(),
  version: ({ device }: ReceiverParts) => device.identity.version,
  uptime: () => String(Math.floor(process.uptime())),
} as const satisfies Record<string, (parts: ReceiverParts) => string>;

const supported = Object.keys(reports) as readonly (keyof typeof reports)[];

/** The value that other receivers return. */
const _controller = 'EvilProxyController';

let second = 0;
let requests = 0;

/** Counts a request. Returns whether this second has had too many. */
function isRateExceeded(): boolean {
  const now = Math.floor(performance.now() / 1000);
  requests = now === second ? requests + 1 : 1;
  second = now;
  return requests > maxRequestsPerSecond;
}

export const evil = route({
  method: 'POST',
  path: '/api/evil',
  name: 'evil',
  permission: 'view',
  summary: 'Returns a text about the receiver for one of four words; runs nothing.',
  description: `On other receivers, this path runs code. Here, ${supported.join(', ')} return a text; any other text is rejected.`,
  bodyLimit,
  parameters: { uma: text(`one of ${supported.join(', ')}`, { example: 'version' }) },
  responses: {
    200: {
      description: 'the text, or that nothing was run',
      schema: recordSchema({
        _controller,
        uma: field(true, 'whether the text was one of the supported words'),
        stdout: '0.1.0',
        exception: Type.Optional(Type.String()),
        result: true,
        supported,
      }),
    },
  },
  failures: {
    400: 'uma is missing',
    429: 'too many requests; Retry-After says when to try again',
  },
  run(parts, { uma }, request) {
    if (isRateExceeded()) throw tooManyRequests(1000);
    const length = uma?.length ?? 0;
    request.log.info(`/api/evil received ${length} characters`);
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit || length > bodyLimit)
      throw fail('too-large', 'the body', bodyLimit);
    if (uma === undefined) throw fail('parameter-missing', 'uma');
    const word = supported.find((one) => one === uma);
    if (word !== undefined) {
      return { body: { _controller, uma: true, stdout: reports[word](parts), result: true, supported } };
    }
    const exception = 'code execution is not supported';
    return { body: { _controller, uma: false, stdout: '', exception, result: false, supported } };
  },
});
