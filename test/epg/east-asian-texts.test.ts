/** Compares every character of the addon's East Asian tables with Node's ICU. */
import { expect, it } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { presentSection } from '../fixtures/eit.ts';

const service = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
const start = Date.UTC(2026, 0, 5, 12) / 1000;
const clock = { now: () => start, synchronised: true };
const charactersInText = 100;

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const pairs = (leads: number[], trails: number[]) => leads.flatMap((lead) => trails.map((trail) => [lead, trail]));

const planeLeads = range(0xa1, 0xfe);
const planeTrails = range(0xa1, 0xfe);
const gbkTrails = [...range(0x40, 0x7e), ...range(0x80, 0xa0)];
// DVB has control codes at these positions.
const gbkLeads = range(0x81, 0xa0).filter((lead) => ![0x86, 0x87, 0x8a].includes(lead));

// Wide and special forms of punctuation in Big5 are converted to the usual ones.
const typed: Record<string, string> = { '‧': '•', '￠': '¢', '￡': '£', '￥': '¥' };

it.each([
  ['KS X 1001', 0x12, 'euc-kr', pairs(planeLeads, planeTrails), {}],
  ['GB 2312', 0x13, 'gb18030', pairs(planeLeads, planeTrails), {}],
  ['GBK above GB 2312', 0x13, 'gbk', pairs(gbkLeads, [...gbkTrails, ...planeTrails]), {}],
  ['GBK beside GB 2312', 0x13, 'gbk', pairs(range(0xaa, 0xfc), gbkTrails), {}],
  ['Big5', 0x14, 'big5', pairs(planeLeads, [...range(0x40, 0x7e), ...planeTrails]), typed],
] as const)('%s reads as in ICU', async (_, selection, encoding, places, forms: Record<string, string>) => {
  const decoder = new TextDecoder(encoding);
  const known = places
    .map((bytes) => ({ bytes, character: decoder.decode(Uint8Array.from(bytes)) }))
    .filter(({ character }) => character.length === 1 && !/[\ufffd\p{Co}]/u.test(character));
  expect(known.length).toBeGreaterThan(5000);
  for (let at = 0; at < known.length; at += charactersInText) {
    const some = known.slice(at, at + charactersInText);
    const title = Buffer.from([selection, ...some.flatMap(({ bytes }) => bytes)]);
    const expected = some.map(({ character }) => forms[character] ?? character).join('');
    expect(await read(title), `character ${at} and following`).toBe(expected);
  }
});

/** The decoded title of an event whose title was sent as these bytes. */
async function read(title: Buffer): Promise<string | undefined> {
  const guide = new Guide({ clock });
  guide.ingestSection(presentSection(service, { id: 1, start, duration: 3600, title }));
  await guide.flush();
  return (await guide.byId(service, 1))?.title;
}
