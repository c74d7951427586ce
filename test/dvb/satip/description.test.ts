/** Descriptions of SAT>IP servers. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { XmlError } from '../../../src/base/xml.ts';
import { parseCapabilities } from '../../../src/config/satip-capabilities.ts';
import { fetchDescription, parseDescription } from '../../../src/dvb/satip/description.ts';

const description = (inside: string) => `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0" configId="0"><specVersion><major>1</major><minor>1</minor></specVersion>
<device><deviceType>urn:ses-com:device:SatIPServer:1</deviceType>${inside}</device></root>`;
const box = description(`<friendlyName>Box &amp;
  attic</friendlyName><manufacturer>Maker</manufacturer><modelName>One</modelName><UDN>uuid:3f1c</UDN>
<iconList><icon><url>/a.png</url></icon></iconList>
<satip:X_SATIPCAP xmlns:satip="urn:ses-com:satip"> DVBS2-2,DVBT2-1 </satip:X_SATIPCAP>`);
const expected = {
  name: 'Box & attic',
  model: 'One',
  manufacturer: 'Maker',
  identity: 'uuid:3f1c',
  frontEnds: [{ systems: ['DVB-S', 'DVB-S2'] }, { systems: ['DVB-S', 'DVB-S2'] }, { systems: ['DVB-T', 'DVB-T2'] }],
};

describe('capabilities', () => {
  it.each([
    ['DVBC-1,ATSC-1', [['DVB-C'], ['ATSC']]],
    ['dvbs-1, dvbt', [['DVB-S'], ['DVB-T']]],
    ['DVBC2-1', [['DVB-C', 'DVB-C2']]],
    ['ATSCT-1,ATSCC-1,ISDBT-1', [['ATSC'], ['DVB-C annex B'], ['ISDB-T']]],
    // Requests count the first as fe=1.
    ['DAB-1,DVBT-1', [[], ['DVB-T']]],
    ['toString-1', [[]]],
    ['DVBT-0,-1,DVBT-x,DVBT-9999,,', []],
    ['', []],
  ])('%s', (text, systems) => {
    expect(parseCapabilities(text).map((one) => one.systems)).toEqual(systems);
  });

  it('end after 64 front ends', () => {
    expect(parseCapabilities(`DVBS2-63,${'DVBT-999,'.repeat(1000)}`).map((one) => one.systems.at(-1))).toEqual([
      ...new Array(63).fill('DVB-S2'),
      'DVB-T',
    ]);
  });
});

describe('a description', () => {
  it('has the identity and the tuners of the server', async () => {
    expect(await parseDescription(box)).toEqual(expected);
    expect(await parseDescription(`\ufeff\r\n${box}\n`)).toEqual(expected);
    expect(await parseDescription(description(''))).toEqual({
      name: '',
      model: '',
      manufacturer: '',
      identity: '',
      frontEnds: [],
    });
  });

  it('has names of at most 100 characters', async () => {
    const { name } = await parseDescription(description(`<friendlyName>${'a'.repeat(1000)}</friendlyName>`));
    expect(name).toHaveLength(100);
  });

  it.each(['', '<root/>', '<html></html>', box.slice(0, -8), '<!DOCTYPE x><root/>'])('is not %.20s', async (text) => {
    await expect(parseDescription(text)).rejects.toBeInstanceOf(XmlError);
  });

  it('property: any text is parsed or refused', async () => {
    const part = fc.oneof(
      fc.constantFrom('<root>', '<device>', '</device>', '</root>', '<UDN>', '</UDN>'),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        await parseDescription(parts.join('')).catch((error: unknown) => expect(error).toBeInstanceOf(XmlError));
      }),
    );
  });
});

describe('fetching', () => {
  let close = () => {};
  afterEach(() => close());

  async function served(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => {
      server.closeAllConnections();
      server.close();
    };
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/desc.xml`;
  }

  it.each([
    [undefined, 554],
    ['8554', 8554],
    ['0', 554],
    ['65536', 554],
    ['x', 554],
  ])('RTSP port %s is %d', async (port, rtspPort) => {
    const location = await served((_, response) =>
      response.writeHead(200, port === undefined ? {} : { 'X-SATIP-RTSP-Port': port }).end(box),
    );
    expect(await fetchDescription(location)).toEqual({ ...expected, host: '127.0.0.1', rtspPort });
  });

  it.each<[string, RequestListener]>([
    ['answered 404', (_, response) => response.writeHead(404).end()],
    ['redirect', (_, response) => response.writeHead(302, { Location: '/desc.xml' }).end()],
    ['is larger than 262144 bytes', (_, response) => response.end(box.padEnd(262_145))],
    ['its root element is html', (_, response) => response.end('<html/>')],
    ['closed', (request) => request.socket.destroy()],
  ])('fails: %s', async (why, listener) => {
    const location = await served(listener);
    const failure = { code: 'file-unreadable', message: expect.stringContaining(why) };
    await expect(fetchDescription(location)).rejects.toMatchObject(failure);
  });

  it('accepts a document of the maximum size', async () => {
    const location = await served((_, response) => response.end(box.padEnd(262_144)));
    expect(await fetchDescription(location)).toMatchObject(expected);
  });

  it('can be aborted', async () => {
    const ending = new AbortController();
    const location = await served(() => ending.abort(new Error('enough')));
    await expect(fetchDescription(location, ending.signal)).rejects.toThrow('enough');
  });

  it.each(['https://127.0.0.1/', 'file:///etc/passwd', 'desc.xml', ''])('refuses %s', async (location) => {
    await expect(fetchDescription(location)).rejects.toMatchObject({ code: 'parameter-invalid' });
  });
});
