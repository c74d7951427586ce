/**
 * `POST /api/evil`. Other receivers run the code that a client sends here. This one runs nothing: it compares the text
 * with four words and passes it on to nothing else, not even the log.
 */
import os from 'node:os';
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import { text } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, record } from '../write/record.ts';
import { Refusal, route } from './route.ts';

/** Maximum bytes of a request body. */
const bodyLimit = 4096;
/** Maximum requests per second. */
const mostRequests = 10;

const reports = {
  echo: () => 'echo',
  platform: () => os.type(),
  version: ({ device }: ReceiverParts) => device.identity.version,
  uptime: () => String(Math.floor(process.uptime())),
} as const satisfies Record<string, (parts: ReceiverParts) => string>;

const supported = Object.keys(reports) as readonly (keyof typeof reports)[];

/** As on other receivers. */
const _controller = 'EvilProxyController';

let second = 0;
let requests = 0;

/** Uses the monotonic clock. */
function isTooOften(): boolean {
  const now = Math.floor(performance.now() / 1000);
  requests = now === second ? requests + 1 : 1;
  second = now;
  return requests > mostRequests;
}

export const evil = route({
  method: 'POST',
  path: '/api/evil',
  name: 'evil',
  permission: 'view',
  summary: 'Runs nothing: four words return a text about the receiver.',
  description: `On other receivers this runs code. Here ${supported.join(', ')} return a text; everything else is refused.`,
  bodyLimit,
  fields: { uma: text(`one of ${supported.join(', ')}`) },
  responses: {
    200: {
      description: 'the text, or that nothing was run',
      schema: record({
        _controller,
        uma: field(true, 'true for one of these words'),
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
    if (isTooOften()) throw new Refusal(fail('too-many-requests'), {}, { 'Retry-After': '1' });
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
