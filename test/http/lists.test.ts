/** Lists of services beyond the plain ones: what is playable, what is locked, what is read again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alpha,
  beta,
  favourites,
  group,
  marker,
  openReceiver,
  second,
  stream,
  type TestReceiver,
  unknown,
} from './receiver.ts';
import { all, api, leaves, names, web } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

describe('servicelistplayable', () => {
  interface Playable {
    readonly servicereference: string;
    readonly isplayable: boolean;
    readonly servicename?: string;
  }
  const listed = async (parameters: Record<string, string>) =>
    (await api<{ services: Playable[] }>(receiver, 'servicelistplayable', parameters)).services;

  it('says it of every entry but the hidden ones', async () => {
    expect(await listed({ sRef: favourites })).toEqual([
      { servicereference: alpha, isplayable: true },
      { servicereference: marker, isplayable: false },
      { servicereference: beta, isplayable: true },
    ]);
    const list = await web(receiver, 'servicelistplayable', { sRef: favourites });
    expect(list.name).toBe('e2servicelistplayable');
    expect(list.children.map((entry) => [entry.name, leaves(entry)])).toEqual(
      [
        [alpha, 'True'],
        [marker, 'False'],
        [beta, 'True'],
      ].map(([reference, playable]) => [
        'e2serviceplayable',
        [
          ['e2servicereference', reference],
          ['e2isplayable', playable],
        ],
      ]),
    );
  });

  it('takes alternatives by their members, streams as they are, and what no tuner has as not playable', async () => {
    const playable = new Map(
      (await listed({ sRef: second })).map(({ servicereference, isplayable }) => [servicereference, isplayable]),
    );
    expect([group, stream, unknown].map((reference) => playable.get(reference))).toEqual([true, true, false]);
  });

  it('lists the root by default, of which nothing can be played as it stands', async () => {
    const entries = await listed({});
    expect(entries.map(({ isplayable }) => isplayable)).toEqual([false, false, false]);
    expect(entries[0]?.servicereference).toBe(favourites);
    expect(await listed({ sRef: 'nonsense' })).toEqual([]);
  });

  it('adds names where they are asked for', async () => {
    expect((await listed({ sRef: favourites, includeName: '' }))[0]?.servicename).toBe('Alpha HD');
    const list = await web(receiver, 'servicelistplayable', { sRef: favourites, includeName: '1' });
    expect(all(list, 'e2serviceplayable').map(names)).toContainEqual([
      'e2servicereference',
      'e2isplayable',
      'e2servicename',
    ]);
  });
});

describe('serviceplayable', () => {
  it.each([
    [alpha, true],
    [group, true],
    [stream, true],
    [unknown, false],
    [marker, false],
    [favourites, false],
    ['nonsense', false],
  ])('%s', async (sRef, isplayable) => {
    expect(await api(receiver, 'serviceplayable', { sRef, sRefPlaying: beta })).toEqual({
      result: true,
      service: { servicereference: sRef, isplayable },
    });
    const playable = await web(receiver, 'serviceplayable', { sRef });
    expect([playable.name, leaves(playable)]).toEqual([
      'e2serviceplayable',
      [
        ['e2servicereference', sRef],
        ['e2isplayable', isplayable ? 'True' : 'False'],
      ],
    ]);
  });

  it('is False without a service', async () => {
    expect(leaves(await web(receiver, 'serviceplayable'))).toEqual([
      ['e2state', 'False'],
      ['e2statetext', "Missing mandatory parameter 'sRef'"],
    ]);
  });
});
