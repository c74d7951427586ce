/** Channel keys: up, down and by number. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Channels } from '../../src/playback/channels.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import type { ServiceEntry } from '../../src/services/service-list.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { alpha, beta, openReceiver, renamed, type TestReceiver } from '../http/receiver.ts';

let receiver: TestReceiver;
let channels: Channels;
beforeEach(async () => {
  receiver = await openReceiver();
  channels = new Channels(receiver.parts);
});
afterEach(() => receiver.close());

const current = () => receiver.playback.current?.reference.format();
const play = (reference: string) => receiver.playback.zap(ServiceReference.parse(reference));

it('steps up and down in the bouquet, skips markers and hidden entries, and wraps around', async () => {
  await play(alpha);
  await channels.step(1);
  expect(current()).toBe(beta);
  await channels.step(1);
  expect(current()).toBe(alpha);
  await channels.step(-1);
  expect(current()).toBe(beta);
});

it('begins in the first bouquet if there is no current service', async () => {
  await channels.step(-1);
  expect(current()).toBe(beta);
});

it('counts keys that arrive while a channel is being tuned', async () => {
  await play(alpha);
  const asked: string[] = [];
  const { playback } = receiver;
  const { promise: tuned, resolve: go } = withResolvers();
  const slow = new Channels({
    ...receiver.parts,
    playback: {
      get current() {
        return playback.current;
      },
      async zap(reference) {
        asked.push(reference.format());
        await tuned;
        await playback.zap(reference);
      },
    },
  });
  const all = [slow.step(1)];
  while (asked.length === 0) await new Promise(setImmediate);
  all.push(slow.step(1), slow.choose('1'));
  // The keys are interpreted while the first channel is being tuned.
  await new Promise(setImmediate);
  go();
  await Promise.all(all);
  expect(current()).toBe(alpha);
  expect(asked).toEqual([beta, alpha]);
});

it('zaps to the channel with a number, in all bouquets', async () => {
  await play(alpha);
  await channels.choose('2');
  expect(current()).toBe(beta);
  const entry = receiver.parts.services.allEntries('tv').find(({ reference }) => reference.format() === renamed);
  await channels.choose(String(entry?.number));
  expect(current()).toBe(renamed);
  await channels.choose('99');
  expect(current()).toBe(renamed);
});

it('zaps to the number of the broadcaster, with or without the zeros before it', async () => {
  const { services } = receiver.parts;
  const listed = services.allBouquets('tv');
  const withNumber = (entry: ServiceEntry) =>
    entry.reference.format() === beta ? { ...entry, channel: '041' } : entry;
  vi.spyOn(services, 'allBouquets').mockReturnValue(
    listed.map((one) => ({ ...one, entries: one.entries.map(withNumber) })),
  );
  await play(alpha);
  await channels.choose('2');
  expect(current()).toBe(alpha);
  await channels.choose('41');
  expect(current()).toBe(beta);
});

it('skips channels under the parental lock', async () => {
  writeFileSync(join(receiver.folder, 'blacklist'), `${beta}\n`);
  await receiver.parts.services.reload('parental');
  await play(alpha);
  await channels.step(1);
  expect(current()).toBe(alpha);
  await channels.choose('2');
  expect(current()).toBe(alpha);
});

it('continues after a channel that could not be received', async () => {
  await play(alpha);
  await expect(channels.choose('7')).rejects.toMatchObject({ code: 'service-not-found' });
  expect(current()).toBe(alpha);
  await channels.step(1);
  expect(current()).toBe(beta);
});

it('continues from the current entry if its service is in the bouquet twice', async () => {
  const other = `${alpha}:Alpha again`;
  receiver.parts.services.edit(({ bouquet }) =>
    bouquet('userbouquet.favourites.tv')?.append([ServiceReference.parse(other)]),
  );
  await play(other);
  await channels.step(1);
  expect(current()).toBe(alpha);
  await play(other);
  await channels.step(-1);
  expect(current()).toBe(beta);
});
