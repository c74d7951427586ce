/** Which tuners can receive a service or its alternatives. */
import { expect, it } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import type { TunerLease } from '../../src/dvb/tuner-pool.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { timerReception } from '../../src/timers/reception.ts';
import { service } from './world.ts';

const group = ServiceReference.parse('1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.x.tv" ORDER BY bouquet');
const stream = ServiceReference.parse('4097:0:1:0:0:0:0:0:0:0:http%3a//host/live.ts:IPTV');
/** The first member is on a multiplex without a tuner, the second on one that the second tuner has. */
const members = [service(1, 1), service(2, 2)];
const lease = {} as TunerLease;
const asked: string[] = [];
const reception = timerReception({
  services: {
    playable: (reference) => (reference.isAlternatives ? members : [reference]),
    listedStream: (reference) => reference,
    nameOf: ({ name }) => name,
  },
  network: {
    tune: async ({ url }, purpose, user) => {
      asked.push(`${purpose} ${url} ${user}`);
      return lease;
    },
  },
  pool: {
    describe: ({ serviceId }) => `service ${serviceId}`,
    clashes: (one, tuner, other, otherTuner) => one.transportStreamId + other.transportStreamId === tuner + otherTuner,
    namespaceOf: ({ transportStreamId, namespace }) => (transportStreamId === 3 ? namespace : undefined),
    receivers: ({ transportStreamId }) => (transportStreamId === 2 ? [1] : []),
    tune: async ({ transportStreamId, serviceId }, purpose, user) => {
      asked.push(`${purpose} ${serviceId} ${user}`);
      if (transportStreamId !== 2) throw fail('not-receivable', 'x');
      return lease;
    },
  },
});

it('of alternatives is the reception of the first member that a tuner can receive', async () => {
  expect(reception.of(group)).toEqual({ multiplex: '1:2:', tuners: [1] });
  expect(await reception.tune(group, 'News')).toBe(lease);
  expect(asked).toEqual(['timer 1 News', 'timer 2 News']);
});

it('has no tuners if none can receive the service, and tuning rejects with the reason', async () => {
  expect(reception.of(service(1, 1))).toEqual({ multiplex: '1:1:', tuners: [] });
  await expect(reception.tune(service(1, 1), 'News')).rejects.toMatchObject({ code: 'not-receivable' });
});

it('describes a reference by the service that would be received', () => {
  expect(reception.describe(service(1, 1))).toBe('service 1');
  expect(reception.describe(group)).toBe('service 1');
  expect(reception.describe(stream)).toBe(stream.format());
});

it('of network streams needs no tuner', async () => {
  expect(reception.of(stream)).toBeUndefined();
  expect(await reception.tune(stream, 'News')).toBe(lease);
  expect(asked.at(-1)).toBe('timer http://host/live.ts News');
});

it('knows whether two tuners can receive two multiplexes at the same time', () => {
  const clash = (tuner: number, other: number) =>
    reception.clash({ multiplex: '1:1:', tuner }, { multiplex: '1:2:', tuner: other });
  expect([clash(1, 2), clash(0, 1)]).toEqual([true, false]);
});

it('distinguishes two feeds with the same identifiers', () => {
  const feed = (namespace: string) => ServiceReference.parse(`1:0:1:1:3:1:${namespace}:0:0:0:`);
  const multiplexes = ['460000', '462C28'].map((namespace) => reception.of(feed(namespace))?.multiplex);
  expect(new Set(multiplexes).size).toBe(2);
});
