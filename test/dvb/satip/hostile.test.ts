/** Damaged messages of SAT>IP servers and clients: parsed within the bounds, or refused by our errors. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiverError } from '../../../src/base/errors.ts';
import { XmlError } from '../../../src/base/xml.ts';
import { parseDescription } from '../../../src/dvb/satip/description.ts';
import { formatQuery, parseQuery, type SatipQuery } from '../../../src/dvb/satip/query.ts';
import { parseSsdp, type SsdpMessage } from '../../../src/dvb/satip/ssdp.ts';
import { damaged, damagedRuns } from '../../fixtures/damage.ts';

const reply = [
  'HTTP/1.1 200 OK',
  'CACHE-CONTROL: max-age=1800',
  'EXT:',
  'LOCATION: http://192.0.2.9:8080/desc.xml',
  'SERVER: Linux/1.0 UPnP/1.1 Box/1.0',
  'ST: urn:ses-com:device:SatIPServer:1',
  'USN: uuid:00000000-0000-0000-0000-0000a0b0c0d0::urn:ses-com:device:SatIPServer:1',
  'BOOTID.UPNP.ORG: 2318',
  'DEVICEID.SES.COM: 1',
  '\r\n',
].join('\r\n');
const notification = reply.replace('HTTP/1.1 200 OK', 'NOTIFY * HTTP/1.1').replace('ST: ', 'NTS: ssdp:alive\r\nNT: ');
const search = 'M-SEARCH * HTTP/1.1\nHOST: 239.255.255.250:1900\nMAN: "ssdp:discover"\nMX: 2\nST: ssdp:all\n\n';

const description = `<?xml version="1.0" encoding="UTF-8"?>
<root xmlns="urn:schemas-upnp-org:device-1-0" configId="0">
<specVersion><major>1</major><minor>1</minor></specVersion>
<device>
<deviceType>urn:ses-com:device:SatIPServer:1</deviceType>
<friendlyName>Büro &amp; <![CDATA[Dach]]> &#x263a;</friendlyName>
<manufacturer>Maker</manufacturer>
<modelName>Octo</modelName>
<UDN>uuid:00000000-0000-0000-0000-0000a0b0c0d0</UDN>
<iconList><icon><mimetype>image/png</mimetype></icon></iconList>
<satip:X_SATIPCAP xmlns:satip="urn:ses-com:satip">DVBS2-4,DVBT2-2,DVBC-2,ATSC</satip:X_SATIPCAP>
</device>
</root>
`;

const queries = [
  '?src=1&fe=2&freq=11493.75&pol=h&msys=dvbs2&mtype=8psk&ro=0.35&plts=on&sr=22000&fec=23&pids=0,16,17,5100',
  'freq=498&bw=8&msys=dvbt2&tmode=32k&mtype=256qam&gi=19256&fec=23&plp=1&t2id=0&sm=0&pids=all',
  'freq=346.00&msys=dvbc&mtype=256qam&sr=6900&specinv=0&addpids=100,200&delpids=300',
  'src=2&freq=12402&pol=v&ro=0.20&msys=dvbs2&mtype=qpsk&plts=off&sr=27500&fec=34&isi=1&plsm=root&plsc=16416',
];

describe('a damaged message of SSDP', () => {
  it('is ignored, or its headers survive formatting and parsing', () => {
    fc.assert(
      fc.property(damaged(reply, notification, search), (bytes) => {
        const message = parseSsdp(bytes);
        if (!message) return;
        expect(bytes.length).toBeLessThanOrEqual(4096);
        for (const [name, value] of message.headers) {
          expect(name).toMatch(/^[^\n:]+$/);
          expect(value).not.toContain('\n');
        }
        // Bytes that are not UTF-8 take more bytes after decoding.
        const again = written(message);
        if (again.length <= 4096) expect(parseSsdp(again)).toEqual(message);
      }),
      damagedRuns,
    );
  });

  const starts = { search: 'M-SEARCH * HTTP/1.1', notify: 'NOTIFY * HTTP/1.1', reply: 'HTTP/1.1 200 OK' };
  const written = ({ kind, headers }: SsdpMessage) =>
    Buffer.from([starts[kind], ...Array.from(headers, ([name, value]) => `${name}:${value}`), '\r\n'].join('\r\n'));
});

describe('a damaged description', () => {
  it('is parsed within the bounds, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(description), async (bytes) => {
        const read = await parseDescription(bytes.toString()).catch((error: unknown) => {
          expect(error).toBeInstanceOf(XmlError);
        });
        if (!read) return;
        const { frontEnds, ...words } = read;
        expect(frontEnds.length).toBeLessThanOrEqual(64);
        for (const word of Object.values(words)) expect(word).toMatch(/^\P{Cc}{0,100}$/u);
      }),
      damagedRuns,
    );
  });
});

describe('a damaged query', () => {
  it('is refused, or survives formatting and parsing', () => {
    fc.assert(
      fc.property(damaged(...queries), (bytes) => {
        const query = readOrRefuse(bytes.toString());
        if (!query) return;
        const { pids = [], addPids, delPids, parameters, source } = query;
        for (const list of [pids === 'all' ? [] : pids, addPids, delPids]) {
          expect(new Set(list).size).toBe(list.length);
          expect(list.every((pid) => Number.isInteger(pid) && pid >= 0 && pid <= 0x1fff)).toBe(true);
        }
        if (!parameters) return;
        const again = readOrRefuse(formatQuery(parameters, source))?.parameters;
        // Symbol rates and frequencies are rounded when they are written.
        expect(readOrRefuse(formatQuery(again ?? parameters, source))?.parameters).toEqual(again);
        expect(again).toMatchObject({ kind: parameters.kind });
      }),
      damagedRuns,
    );
  });

  function readOrRefuse(text: string): SatipQuery | undefined {
    try {
      return parseQuery(text);
    } catch (error) {
      expect(error).toBeInstanceOf(ReceiverError);
      expect((error as ReceiverError).code).toBe('parameter-invalid');
    }
  }
});
