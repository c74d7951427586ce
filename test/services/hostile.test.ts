/**
 * Damaged files of services and damaged references: nothing is lost, and parsed values survive formatting and parsing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReceiverError } from '../../src/base/errors.ts';
import { maxTransponders, readInitialTable } from '../../src/scan/transponder-tables.ts';
import { BouquetFile } from '../../src/services/bouquet-file.ts';
import { Lamedb, type LamedbService, serviceKey } from '../../src/services/lamedb.ts';
import { ParentalList } from '../../src/services/parental-list.ts';
import { bouquetFileOf, parseQuery } from '../../src/services/query.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const bouquet = `#NAME Favourites (TV)
#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:
#DESCRIPTION Das Erste\u2022ARD
#SERVICE 1:64:1:0:0:0:0:0:0:0::Zwölf
#SERVICE: 4097:0:1:0:0:0:0:0:0:0:http%3a//host%3a8080/a b.ts:Web, "one"\r
#SORT 1
#SERVICE 1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.a.tv" ORDER BY bouquet
`;
const lamedb4 = `eDVB services /4/
transponders
00c00000:03fb:0001
\ts 11493750:22000000:0:4:192:2:0:1:2:0:2
/
eeee0000:1001:2114
\tt 498000000:0:5:5:2:4:4:2:0:1:0
/
ffff0000:2711:0001
\tc 346000000:6900000:2:5:0:0:0
/
end
services
283d:00c00000:03fb:0001:25:0:0
\u0086Das\u0087 Erste HD
p:ARD, TV,c:0013ed,c:0113ee,C:0500,C:1702,z:9,f:149
0001:eeee0000:1001:2114:1:0:1f
Zwölf "zwei"
Company
end
Have a lot of bugs!
`;
const lamedb5 = `eDVB services /5/
# t:namespace:transport_stream_id:original_network_id,parameters
t:00c00000:03fb:0001,s:11493750:22000000:0:4:192:2:0:1:2:0:2,MIS/PLS:-1:0:1,T2MI:1:4096
s:283d:00c00000:03fb:0001:25:0:0,"Das Erste, HD",p:ARD,c:0013ed,C:0500,f:40
s:0001:00c00000:03fb:0001:1:0:1f,"a"b",p:x
# done. 1 channels and 2 services
`;

const one: LamedbService = {
  ...{ serviceId: 0xabcd, namespace: 0xc00000, transportStreamId: 1, originalNetworkId: 1, serviceType: 1 },
  ...{ number: 0, sourceId: 0, name: 'Added', provider: '', flags: 0, cache: [], caSystems: [], others: [] },
};

it('a bouquet keeps its bytes, and its entries survive an edit', () => {
  fc.assert(
    fc.property(damaged(bouquet), (bytes) => {
      const file = BouquetFile.parse(bytes, 'x');
      expect(file.format().equals(bytes)).toBe(true);
      const before = file.entries.map(({ reference }) => reference.format());
      const added = ServiceReference.parse('1:0:1:ABCD:1:1:C00000:0:0:0:');
      file.append([added]);
      const again = BouquetFile.parse(file.format(), 'x');
      expect(again.entries.map(({ reference }) => reference.format())).toEqual([...before, added.format()]);
      expect(again.name).toBe(file.name);
      // Control characters of a name are removed when it is formatted.
      const identities = again.entries.map(({ reference }) => reference.identity);
      again.replace(again.entries.map(({ reference }) => reference).reverse());
      const reversed = BouquetFile.parse(again.format(), 'x');
      expect(reversed.entries.map(({ reference }) => reference.identity)).toEqual(identities.reverse());
      expect(reversed.name).toBe(file.name);
    }),
    damagedRuns,
  );
});

it('a lamedb keeps its bytes, and its services survive an edit and the other version', () => {
  fc.assert(
    fc.property(damaged(lamedb4, lamedb5), fc.constantFrom<4 | 5>(4, 5), (bytes, version) => {
      const list = readLamedb(bytes);
      if (!list) return;
      expect(list.format().equals(bytes)).toBe(true);
      const before = new Set([...list.services()].map(serviceKey));
      list.putService(one);
      const again = Lamedb.parse(list.format());
      expect(new Set([...again.services()].map(serviceKey))).toEqual(before.add(serviceKey(one)));
      expect(again.transponderCount).toBe(list.transponderCount);
      // The first copy removes control characters; the text after them may then have a meaning.
      const copied = copyOf(copyOf(list, version), version);
      expect([copied.serviceCount, copied.transponderCount]).toEqual([list.serviceCount, list.transponderCount]);
      expect(copied.problems).toEqual([]);
      expect(copyOf(copied, version).format().equals(copied.format())).toBe(true);
    }),
    damagedRuns,
  );
});

/** Formats all records again, and parses the result. */
function copyOf(list: Lamedb, version: 4 | 5): Lamedb {
  const copy = Lamedb.empty(version);
  copy.assign(list);
  return Lamedb.parse(copy.format());
}

function readLamedb(bytes: Buffer): Lamedb | undefined {
  try {
    return Lamedb.parse(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ReceiverError);
    expect((error as ReceiverError).code).toBe('file-unreadable');
    return undefined;
  }
}

it('references and parental lists survive formatting and parsing', () => {
  const references = bouquet
    .split('\n')
    .filter((line) => line.startsWith('#SERVICE'))
    .map((line) => line.replace(/^#SERVICE:? /, ''));
  fc.assert(
    fc.property(damaged(...references, 'http://host/x%20y.ts Name', '1:0:1:2:3:4:/media/a.ts:Name'), (bytes) => {
      const text = bytes.toString();
      const reference = ServiceReference.tryParse(text);
      if (!reference) return;
      const written = reference.format();
      const again = ServiceReference.parse(written);
      expect(again.format()).toBe(written);
      expect(again.identity).toBe(reference.identity);
      expect(reference.fields.every((field) => field >= 0 && field <= 0xffffffff)).toBe(true);
      expect(written).not.toMatch(/[\n\r\t\0]/);
      // Parental lists ignore blanks at the end of a line, and lines that begin with a minus sign.
      const list = new ParentalList('blacklist', Buffer.from(written));
      if (!/^-|\s$/.test(written)) expect(list.has(reference)).toBe(true);
    }),
    damagedRuns,
  );
});

it('a query is parsed or refused, and never names a file outside the folder', () => {
  const queries = [
    '1:7:1:0:0:0:0:0:0:0:(type == 1) || (type == 17) && (name == "a\\"b") FROM PROVIDERS ORDER BY name',
    'FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet',
    '(satellitePosition == 192) && (provider == \\"Company\\") ORDER BY name',
    '(channelID == 00c0000003fb0001) && (flags != 64) FROM SATELLITES ORDER BY satellitePosition',
  ];
  const service = { reference: ServiceReference.parse('1:0:1:1:1:1:C00000:0:0:0:'), name: 'a', provider: '', flags: 0 };
  fc.assert(
    fc.property(damaged(...queries), (bytes) => {
      const text = bytes.toString();
      const query = parseQuery(text);
      if (query && query.from !== 'bouquet') expect(query.selects(service)).toBeTypeOf('boolean');
      expect(bouquetFileOf(text) ?? 'none').toMatch(/^[^/\0]+$/);
    }),
    damagedRuns,
  );
});

it('a table of transponders is read within the bounds, or refused', async () => {
  const xml = `<?xml version="1.0" encoding="iso-8859-1"?>
<satellites>
<sat name="Astra 1" flags="1" position="192">
<transponder frequency="11493750" symbol_rate="22000000" polarization="0" fec_inner="2" system="1" modulation="2"/>
<transponder frequency="12402000" symbol_rate="27500000" polarization="1" is_id="5" pls_mode="0" pls_code="121212"/>
</sat>
<cable name="Place"><transponder frequency="346000" symbol_rate="6900000" modulation="5"/></cable>
<terrestrial name="Place"><transponder centre_frequency="498000000" bandwidth="0" system="1" plp_id="1"/></terrestrial>
</satellites>
`;
  const ini = `[CHANNEL]
\tDELIVERY_SYSTEM = DVBS2
\tFREQUENCY = 11836500
\tPOLARIZATION = HORIZONTAL
\tSYMBOL_RATE = 29900000
\tINNER_FEC = 2/3
\tSTREAM_ID = 4294967295
[Place 1] # comment
\tDELIVERY_SYSTEM = DVBT2
\tFREQUENCY = 514000000
\tBANDWIDTH_HZ = 1712000
\tMODULATION = QAM/AUTO
`;
  const path = join(temporaryFolder(), 'Astra-19.2E');
  await fc.assert(
    fc.asyncProperty(damaged(xml, ini), fc.constantFrom('19.2E', 'Place', undefined), async (bytes, network) => {
      writeFileSync(path, bytes);
      const found = await readInitialTable(path, network).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ReceiverError);
        expect(['file-unreadable', 'parameter-invalid']).toContain((error as ReceiverError).code);
      });
      expect(found?.length ?? 1).toBeGreaterThan(0);
      expect(found?.length ?? 1).toBeLessThanOrEqual(2 * maxTransponders);
      for (const transponder of found ?? []) {
        const numbers = Object.values(transponder).filter((value) => typeof value === 'number');
        expect(numbers.every((number) => Number.isSafeInteger(number))).toBe(true);
        if (transponder.kind !== 'satellite') continue;
        expect(transponder.orbitalPosition >= 0 && transponder.orbitalPosition < 3600).toBe(true);
      }
    }),
    damagedRuns,
  );
});
