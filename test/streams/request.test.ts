/** Parsing requests on the stream port. */
import { describe, expect, it } from 'vitest';
import { ownPort, parseStreamRequest } from '../../src/http/streams/stream-server.ts';

function parse(target: string) {
  const { path, ...values } = parseStreamRequest(target);
  return { reference: ownPort.referenceOf(path), ...values };
}

describe('a request on the stream port', () => {
  it.each([
    ['/1:0:19:2B66:3F3:1:C00000:0:0:0:', '1:0:19:2B66:3F3:1:C00000:0:0:0:', undefined],
    ['/1:0:19:2B66:3F3:1:C00000:0:0:0', '1:0:19:2B66:3F3:1:C00000:0:0:0', undefined],
    ['/1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A', '1:0:19:2B66:3F3:1:C00000:0:0:0:', undefined],
    ['/1:0:1:1:1:1:EEEE0000:0:0:0:?duration=20', '1:0:1:1:1:1:EEEE0000:0:0:0:', 20],
    ['/1:0:1:1:1:1:EEEE0000:0:0:0:?bitrate=1000000?duration=5', '1:0:1:1:1:1:EEEE0000:0:0:0:', 5],
    ['/1:0:1:1:1:1:EEEE0000:0:0:0:?duration=604800', '1:0:1:1:1:1:EEEE0000:0:0:0:', 604_800],
    ['//1:0:1:1:1:1:0:0:0:0:', '1:0:1:1:1:1:0:0:0:0:', undefined],
  ])('%s', (target, reference, duration) => {
    expect(parse(target)).toEqual({ reference, duration });
  });

  it.each(['soon', '0', '0.5', '-1', '604801', '1e3', 'Infinity'])(
    'with duration=%j is refused by name',
    (duration) => {
      const refused = `The parameter 'duration' must be a number from 1 to 604800, not '${duration}'`;
      expect(() => parse(`/1:0:1:1:1:1:EEEE0000:0:0:0:?duration=${duration}`)).toThrow(refused);
    },
  );

  it('with invalid percent-encoding is refused', () => {
    expect(() => parse('/%E0%A4%A')).toThrow(/no service/);
  });
});
