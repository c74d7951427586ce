/** Real Enigma2 folders through the interface. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Services } from '../../../src/services/services.ts';
import { copyOf, enigma2Folders } from '../../services/folders.ts';
import { openReceiver } from '../receiver.ts';
import { all, api, at, get, web } from '../reply.ts';

interface Listed {
  readonly servicename: string;
  readonly servicereference: string;
  readonly pos: number;
  readonly startpos: number;
}

/** A copy of the folder with settings that number every bouquet from 1. */
function countingEach(folder: string): string {
  const copy = copyOf(folder);
  appendFileSync(join(copy, 'settings'), '\nconfig.usage.alternative_number_mode=True\n');
  return copy;
}

describe.skipIf(enigma2Folders.length === 0)('real Enigma2 folders', () => {
  it.each(enigma2Folders)('%s keeps its start positions and numbers if every bouquet counts from 1', async (folder) => {
    const numbers = async (path: string) => {
      const receiver = await openReceiver({ services: await Services.load(path) });
      try {
        const lists = await Promise.all(
          (['tv', 'radio'] as const).map(async (type) => {
            const sRef = receiver.parts.services.root(type).format();
            const root = await api<{ services: Listed[] }>(receiver, 'getservices', { sRef });
            const everything = await api<{ services: { subservices: Listed[] }[] }>(receiver, 'getallservices', {
              type,
            });
            return {
              starts: root.services.map(({ startpos }) => startpos),
              numbers: everything.services.map(({ subservices }) => subservices.map(({ pos }) => pos)),
            };
          }),
        );
        return lists;
      } finally {
        await receiver.close();
      }
    };
    const plain = await numbers(copyOf(folder));
    expect(await numbers(countingEach(folder))).toEqual(plain);
    expect(Math.max(...plain.flatMap(({ starts }) => starts))).toBeGreaterThan(0);
  });

  it.each(enigma2Folders)('%s gives the same complete and well-formed response in XML and JSON', async (folder) => {
    const services = await Services.load(copyOf(folder));
    const receiver = await openReceiver({ services });
    try {
      for (const kind of ['tv', 'radio'] as const) {
        const { bouquets } = await api<{ bouquets: [string, string][] }>(receiver, 'bouquets', { stype: kind });
        expect(bouquets.map(([, name]) => name)).toEqual(services.bouquets(kind).map(({ name }) => name));
        const root = await api<{ services: Listed[] }>(receiver, 'getservices', { sRef: services.root(kind).format() });
        const starts = root.services.map(({ startpos }) => startpos);
        expect(starts).toEqual([...starts].sort((a, b) => a - b));

        const everything = await api<{ services: { subservices: Listed[] }[] }>(receiver, 'getallservices', {
          type: kind,
        });
        const numbers = everything.services
          .flatMap(({ subservices }) => subservices.map(({ pos }) => pos))
          .filter(Boolean);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));

        const xml = await web(receiver, 'getallservices', { type: kind });
        const listed = all(xml, 'e2bouquet').flatMap((bouquet) => all(at(bouquet, 'e2servicelist'), 'e2service'));
        expect(listed.map((service) => at(service, 'e2servicereference').text)).toEqual(
          everything.services.flatMap(({ subservices }) => subservices.map(({ servicereference }) => servicereference)),
        );
        for (const service of listed) expect(at(service, 'e2servicename').text).not.toBe('');

        const [first] = bouquets;
        if (first === undefined) continue;
        const one = await api<{ services: Listed[] }>(receiver, 'getservices', { sRef: first[0] });
        const names = all(await web(receiver, 'getservices', { sRef: first[0] }), 'e2service').map(
          (service) => at(service, 'e2servicename').text,
        );
        expect(names).toEqual(one.services.map(({ servicename }) => servicename.replaceAll(/[\u0086\u0087]/g, '')));
        const { events } = await api<{ events: { sref: string }[] }>(receiver, 'epgnow', { bRef: first[0] });
        const references = one.services.map(({ servicereference }) => servicereference);
        expect(events.map(({ sref }) => sref)).toEqual(references.filter((reference) => !reference.startsWith('1:7:')));
      }
      const playlist = await get(receiver, '/web/services.m3u');
      const urls = playlist.body.split('\n').filter((line) => /^[a-z]+:\/\//.test(line));
      const playable = services
        .allBouquets('tv')
        .flatMap(({ entries }) => entries.filter(({ reference }) => reference.flags === 0));
      expect(urls).toHaveLength(playable.length);
    } finally {
      await receiver.close();
    }
  });
});
