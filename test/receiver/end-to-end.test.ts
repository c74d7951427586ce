/**
 * The program with its demo tuner, from a first start with an empty folder to the second, as a user sees it with curl.
 */
import { get as httpGet } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, until } from '../fixtures/waits.ts';
import { type Document, documentedGets, schemaOf } from './document.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
let program: Program;

interface ServiceItem {
  readonly service_reference: string;
  readonly service_name: string;
  readonly number: number;
}

interface Guide {
  readonly events: readonly {
    readonly id: number | null;
    readonly title: string | null;
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly sref: string;
    readonly sname: string;
  }[];
}

let services: readonly ServiceItem[];
const tvRoot = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet';
let bouquet: string;

beforeAll(async () => {
  program = await startProgram(folder, '--tuner', 'demo');
  // Before, references change when the NIT arrives.
  await eventually(
    async () => program.log.some(({ msg }) => msg === 'services scanned') || undefined,
    'the services of the demo multiplex',
  );
  ({ items: services } = await program.json<{ items: readonly ServiceItem[] }>('/services/tv?format=object'));
  const { bouquets } = await program.json<{ bouquets: readonly (readonly string[])[] }>('/api/bouquets');
  bouquet = bouquets[0]?.[0] ?? '';
});

afterAll(() => removeFolder(folder));

const encoded = encodeURIComponent;

describe('a first start', () => {
  test('finds services and puts them into bouquets', async () => {
    expect(services.length).toBeGreaterThan(1);
    expect(new Set(services.map(({ service_reference }) => service_reference)).size).toBe(services.length);
    const list = await program.json<{ services: readonly { servicereference: string; servicename: string }[] }>(
      `/api/getservices?sRef=${encoded(bouquet)}`,
    );
    expect(list.services.map(({ servicename }) => servicename)).toEqual(
      expect.arrayContaining(services.map(({ service_name }) => service_name)),
    );
    const root = await program.json<{ services: readonly object[] }>(`/api/getservices?sRef=${encoded(tvRoot)}`);
    expect(root.services.length).toBeGreaterThan(0);
    expect((await program.json<{ items: readonly object[] }>('/services/radio')).items.length).toBeGreaterThan(0);
  });

  test('fills the guide: every service has its present and following event', async () => {
    let before = 0;
    const events = await eventually(async () => {
      before = Math.floor(Date.now() / 1000);
      const answer = await program.json<Guide>(`/api/epgnownext?bRef=${encoded(bouquet)}`);
      return answer.events.length > 0 && answer.events.every(({ title }) => title) ? answer.events : undefined;
    }, 'now and next of every service');
    const after = Date.now() / 1000;
    for (let i = 0; i < events.length; i += 2) {
      const [now, next] = [events[i], events[i + 1]];
      expect(now?.sref).toBe(next?.sref);
      expect(now?.begin_timestamp).toBeLessThanOrEqual(after);
      const end = (now?.begin_timestamp ?? 0) + (now?.duration_sec ?? 0);
      expect(end).toBeGreaterThan(before);
      expect(next?.begin_timestamp).toBeGreaterThanOrEqual(end);
    }
  });

  test('has a week of guide', async () => {
    const [first] = services;
    const asked = `/api/eventlookup?service_reference=${first?.service_reference}&flags=B`;
    const week = await eventually(async () => {
      const { events } = await program.json<{ events: readonly { start_time: number }[] }>(asked);
      const last = events.at(-1)?.start_time ?? 0;
      return last > Date.now() / 1000 + 6.5 * 86_400 ? events : undefined;
    }, 'a guide of seven days');
    for (let i = 1; i < week.length; i++) {
      expect(week[i]?.start_time).toBeGreaterThan(week[i - 1]?.start_time ?? 0);
    }
  });
});

describe('then a client', () => {
  test('searches the guide while the user types, in both interfaces alike', async () => {
    const [first] = services;
    let typed = '';
    // Again if the present event ends between the requests.
    await until(async () => {
      const { events } = await program.json<Guide>(`/api/epgservicenow?sRef=${first?.service_reference}`);
      const title = events[0]?.title ?? '';
      typed = title.slice(0, 4).toUpperCase();
      const rest = await program.json<{ events: readonly { id: number; title: string; service_reference: string }[] }>(
        `/api/eventsearch?what=${encoded(typed)}&max_rows=0`,
      );
      expect(rest.events).toContainEqual(
        expect.objectContaining({ id: events[0]?.id, title, service_reference: first?.service_reference }),
      );
      const legacy = await program.json<Guide>(`/api/epgsearch?search=${encoded(typed)}`);
      expect(legacy.events.map(({ title: found }) => found)).toContain(title);
    });
    const xml = await (await program.get(`/web/epgsearch?search=${encoded(typed)}`)).text();
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<e2eventlist>\n/);
  });

  test('zaps, and sees what is on', async () => {
    const target = services[1] ?? services[0];
    const reference = target?.service_reference ?? '';
    expect(await program.json(`/api/zap?sRef=${reference}`)).toMatchObject({ result: true });
    // Again until there is a present event, and if it ends between the requests.
    await until(async () => {
      const now = await program.json<Record<string, unknown>>('/current_event');
      expect(now).toMatchObject({ service_reference: reference, service_name: target?.service_name, path: null });
      expect(now).toHaveProperty('next.title', expect.any(String));
      expect(await program.json(`/current_event/${reference.replaceAll(':', '_')}/0/`)).toMatchObject({ id: now.id });
    });
    const { info } = await program.json<{ info: Record<string, unknown> }>('/api/getcurrent');
    expect(info).toMatchObject({ ref: reference, name: target?.service_name });
    expect(await (await program.get('/web/subservices')).text()).toContain(reference);
  });

  test('gets playlists with working streams', async () => {
    const list = await (await program.get(`/web/services.m3u?bRef=${encoded(bouquet)}`)).text();
    expect(list).toMatch(/^#EXTM3U/);
    const urls = list.split('\n').filter((line) => line.startsWith('http'));
    expect(urls.length).toBeGreaterThanOrEqual(services.length);
    const [url = ''] = urls;
    expect(new URL(url).port).toBe(new URL(program.stream).port);
    const packets = await firstBytes(url, 188 * 200);
    for (let i = 0; i + 188 <= packets.length; i += 188) expect(packets[i]).toBe(0x47);
  });

  test('gets a 404 for a stream of an invalid reference', async () => {
    expect((await fetch(`${program.stream}/1:0:1:FFFF:FFFF:FFFF:0:0:0:0:`)).status).toBe(404);
  });

  test('caches its list with an ETag, and gets everything compressed on request', async () => {
    const first = await program.get('/services', { 'accept-encoding': 'gzip' });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    const etag = first.headers.get('etag') ?? '';
    expect((await program.get('/services', { 'if-none-match': etag })).status).toBe(304);
  });

  test('may be a page of another origin, for errors too', async () => {
    const options = await fetch(`${program.http}/services`, { method: 'OPTIONS' });
    expect(options.status).toBe(200);
    expect(options.headers.get('access-control-allow-methods')).toBe('GET,PUT,POST,DELETE,OPTIONS');
    for (const path of ['/services/nonsense', '/api/nonsense', '/web/nonsense', '/nonsense']) {
      const response = await program.get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

describe('the OpenAPI document', () => {
  test('every documented GET returns a documented status and schema', async () => {
    const document = await program.json<Document>('/api/openapi.json');
    const given = { sRef: services[0]?.service_reference ?? '', bRef: bouquet };
    const requests = documentedGets(document, given);
    expect(requests.length).toBeGreaterThan(80);
    for (const { path, url, responses } of requests) {
      const response = await program.get(url);
      const body = await response.text();
      const documented = responses[response.status] ?? responses.default;
      expect(documented, `${url} answered ${response.status}`).toBeDefined();
      const problems = schemaOf(document, documented, response.headers.get('content-type'), body);
      expect(problems, `${path}: ${body.slice(0, 300)}`).toEqual([]);
    }
  });
});

describe('a second receiver', () => {
  test('on the same port exits with one line that says so', async () => {
    await expect(refusal('--http-port', new URL(program.http).port)).rejects.toThrow(
      /ended with 1 .*port \d+: is already in use[^\n]*$/s,
    );
  });

  test('with one port for both, or a foreign address, names the option to change', async () => {
    const { port } = new URL(program.http);
    await expect(refusal('--http-port', port, '--stream-port', port)).rejects.toThrow(
      /--stream-port \d+: must be another/,
    );
    await expect(refusal('--bind', '192.0.2.1')).rejects.toThrow(/--bind 192\.0\.2\.1: is no address of this machine/);
    await expect(refusal('--bind', 'nobody.invalid')).rejects.toThrow(/--bind nobody\.invalid: is no address/);
  });

  /** Of a start with these options. */
  async function refusal(...options: readonly string[]): Promise<unknown> {
    const other = temporaryFolder();
    try {
      return await startProgram(other, ...options);
    } finally {
      removeFolder(other);
    }
  }
});

describe('a second start', () => {
  test('shows the same lists, whether the first was stopped or killed', async () => {
    const before = await program.json<{ items: readonly object[] }>('/services');
    expect(await program.stop()).toBe(0);
    expect(program.log.filter(({ level }) => level >= 50)).toEqual([]);
    program = await startProgram(folder, '--tuner', 'demo');
    expect(await program.json('/services')).toEqual(before);
    await program.stop('SIGKILL');
    program = await startProgram(folder, '--tuner', 'demo');
    expect(await program.json('/services')).toEqual(before);
    expect(await program.stop()).toBe(0);
  });
});

/** The first bytes of an endless stream. */
async function firstBytes(url: string, count: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const request = httpGet(url, (response) => {
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        if (length >= count) {
          request.destroy();
          resolve();
        }
      });
      response.on('end', () => reject(new Error(`the stream ended after ${length} bytes`)));
    });
    request.on('error', (error) => (length >= count ? undefined : reject(error)));
  });
  return Buffer.concat(pieces).subarray(0, count);
}
