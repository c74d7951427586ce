/** The channels that Home Assistant offers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { channelsOf, optionsOf } from '../../src/mqtt/parts.ts';
import { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const entry = (number: number, name: string) => `#SERVICE 4097:0:1:0:0:0:0:0:0:0:http%3a//tv/${number}:${name}\n`;
const link = '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet\n';

function withEntries(...entries: readonly string[]): Promise<Services> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'bouquets.tv'), link);
  writeFileSync(join(folder, 'userbouquet.a.tv'), entries.join(''));
  return Services.load(folder);
}

it('can all be selected, also those with the same name; one in several bouquets is listed once', async () => {
  const services = await withEntries(
    entry(1, 'One'),
    entry(2, 'One'),
    entry(1, 'One'),
    entry(1, 'Uno'),
    entry(3, 'One'),
  );
  const shown = [...channelsOf(services)].map(([name, { path }]) => [name, path.at(-1)]);
  expect(shown).toEqual([
    ['One', '1'],
    ['One (2)', '2'],
    ['Uno', '1'],
    ['One (3)', '3'],
  ]);
});

it('have at most 255 characters, and are at most 500', async () => {
  const long = 'n'.repeat(300);
  const services = await withEntries(entry(1, long), entry(2, long));
  expect([...channelsOf(services).keys()]).toEqual(['n'.repeat(255), `${'n'.repeat(251)} (2)`]);
  const many = await withEntries(...Array.from({ length: 600 }, (_, n) => entry(n, `Channel ${n}`)));
  expect([channelsOf(many).size, optionsOf(many).size]).toEqual([600, 500]);
});
