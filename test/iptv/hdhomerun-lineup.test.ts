/** HDHomeRun devices without tuner control: their channels become those of a bouquet. */
import { describe, expect, it } from 'vitest';
import { channelsOf, importLineup } from '../../src/iptv/hdhomerun-lineup.ts';
import { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const channel = (name: string, more = {}) => ({
  GuideNumber: '7',
  GuideName: name,
  URL: `http://192.0.2.9:5004/auto/v7`,
  ...more,
});

describe('lineup.json', () => {
  it('lists channels; those with copy protection, and those of other hosts, are left out', () => {
    const text = JSON.stringify([
      channel('One', { HD: 1, Favorite: 0 }),
      channel('Locked', { DRM: 1 }),
      channel('Elsewhere', { URL: 'http://192.0.2.1:5004/auto/v7' }),
      channel('Inside', { URL: 'http://127.0.0.1/' }),
      channel('File', { URL: 'file:///etc/passwd' }),
      channel('Header', { URL: 'http://192.0.2.9/auto/v7#User-Agent=x' }),
      channel('Free', { DRM: 0 }),
    ]);
    expect(channelsOf(text, '192.0.2.9').map(({ name, url }) => [name, url])).toEqual([
      ['One', 'http://192.0.2.9:5004/auto/v7'],
      ['Free', 'http://192.0.2.9:5004/auto/v7'],
    ]);
    expect(channelsOf(JSON.stringify([channel('x'.repeat(1000))]), '192.0.2.9')[0]?.name).toHaveLength(255);
  });

  it.each(['', '{}', '[1]', '[{"GuideNumber":7}]', '<html>', '[null]', '"x"'])('that is %j is refused', (text) => {
    expect(() => channelsOf(text, '192.0.2.9')).toThrow();
  });
});

describe('the import', () => {
  const load = async () => Services.load(temporaryFolder());
  async function* pieces(text: string, times = 1) {
    for (let n = 0; n < times; n++) yield Buffer.from(text);
  }

  it('fills one bouquet, also when it is repeated', async () => {
    const services = await load();
    const list = (...names: readonly string[]) => pieces(JSON.stringify(names.map((name) => channel(name))));
    const url = 'http://192.0.2.9/lineup.json';
    expect(await importLineup({ services, download: () => list('One', 'Two') }, 'attic', url)).toBe(2);
    expect(await importLineup({ services, download: () => list('Two', 'Three') }, 'attic', url)).toBe(2);
    const bouquet = services.bouquetByName('HDHomeRun attic');
    const entries = bouquet && services.list(bouquet.reference)?.entries;
    expect(entries?.map(({ name }) => name)).toEqual(['Two', 'Three']);
  });

  it('of an endless document, or of one without channels, is refused', async () => {
    const services = await load();
    const url = 'http://192.0.2.9/lineup.json';
    const endless = { services, download: () => pieces('['.repeat(2 ** 20), 1000) };
    await expect(importLineup(endless, 'attic', url)).rejects.toThrow('lineup.json');
    await expect(importLineup({ services, download: () => pieces('[]') }, 'attic', url)).rejects.toThrow('no channel');
  });
});
