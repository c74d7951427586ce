/** `/metrics`: the values and the format, and that the documentation lists exactly these metrics. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/base/package.ts';
import { createServer } from '../../../src/http/server.ts';
import { exposition, expositionType } from '../../../src/http/write/exposition.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
/** With a logger, because requests are counted where they are logged. */
let app: FastifyInstance;
beforeEach(async () => {
  receiver = await openReceiver();
  app = createServer(receiver.parts, { logger: pino({ level: 'silent' }) });
});
afterEach(async () => {
  await app.close();
  await receiver.close();
});

async function scraped(): Promise<string> {
  const { statusCode, headers, body } = await app.inject('/metrics');
  expect([statusCode, headers['content-type']]).toEqual([200, expositionType]);
  return body;
}

/** The values of all samples, by name and labels as in the text. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const lines = (await scraped()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const requests = (route: string, status: number, method = 'GET') =>
  `receiverd_http_requests_total{route="${route}",method="${method}",status="${status}"}`;

const promtool = (text: string) => spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

describe('the metrics', () => {
  it('have the values of the receiver’s parts', async () => {
    const before = Date.now() / 1000;
    const all = await samples();
    const after = Date.now() / 1000;
    expect(Object.fromEntries(all)).toMatchObject({
      [`receiverd_build_info{version="0.1.0",node="${process.versions.node}"}`]: 1,
      'receiverd_tuner_info{tuner="Tuner A",source="dvb:0",model="Demo"}': 1,
      'receiverd_tuner_active{tuner="Tuner A"}': 1,
      'receiverd_tuner_locked{tuner="Tuner A"}': 1,
      'receiverd_tuner_users{tuner="Tuner A"}': 0,
      'receiverd_tuner_signal_quality_ratio{tuner="Tuner A"}': 0.8,
      'receiverd_tuner_snr_decibels{tuner="Tuner A"}': 12.5,
      'receiverd_tuner_received_bytes_total{tuner="Tuner A"}': 123_456_789,
      'receiverd_tuner_continuity_errors_total{tuner="Tuner A"}': 7,
      'receiverd_tuner_section_crc_errors_total{tuner="Tuner A"}': 3,
      receiverd_network_streams: 1,
      receiverd_network_stream_received_bytes_total: 47_000,
      receiverd_network_stream_continuity_errors_total: 6,
      receiverd_guide_events: 3,
      receiverd_guide_services: 1,
      receiverd_guide_collection_age_seconds: 90,
      receiverd_recordings_running: 0,
      receiverd_recordings_in_trouble: 0,
      receiverd_recorded_bytes_total: 5_000_000_000,
      receiverd_recording_lost_bytes_total: 188,
      receiverd_recording_continuity_errors_total: 2,
      'receiverd_timers{state="waiting"}': 0,
      'receiverd_timers{state="disabled"}': 0,
      receiverd_stream_clients: 0,
      receiverd_stream_clients_dropped_total: 4,
      receiverd_push_clients: 0,
      receiverd_satip_sessions: 0,
      'receiverd_disk_free_bytes{mount="/media/hdd"}': 657_453_056_819,
    });
    // Values that the hardware does not report are absent.
    expect([...all.keys()].filter((name) => name.startsWith('receiverd_tuner_signal_dbm'))).toEqual([]);
    const started = all.get('process_start_time_seconds') ?? 0;
    const scrapedAt = started + (all.get('receiverd_uptime_seconds') ?? 0);
    // Two clocks, of which one is rounded.
    expect(scrapedAt).toBeGreaterThan(before - 0.5);
    expect(scrapedAt).toBeLessThan(after + 0.5);
    for (const name of ['receiverd_guide_memory_bytes', 'process_cpu_seconds_total', 'process_resident_memory_bytes'])
      expect(all.get(name), name).toBeGreaterThan(0);
  });

  it('have all counters of an idle tuner, but no signal', async () => {
    const [tuner] = receiver.tuners;
    if (tuner === undefined) throw new Error('no tuner');
    const condition = { state: 'idle', reason: '', ageSeconds: undefined } as const;
    receiver.tuners = [{ ...tuner, signal: undefined, losses: undefined, condition }];
    const all = await samples();
    expect(all.get('receiverd_tuner_active{tuner="Tuner A"}')).toBe(0);
    expect(all.get('receiverd_tuner_locked{tuner="Tuner A"}')).toBe(0);
    expect(all.has('receiverd_tuner_snr_decibels{tuner="Tuner A"}')).toBe(false);
    expect(all.get('receiverd_tuner_continuity_errors_total{tuner="Tuner A"}')).toBe(7);
  });

  it('count requests by the pattern of their route', async () => {
    const paths = [
      ['/api/vol', 200],
      ['/web/vol?set=state', 200],
      ['/web/stream.m3u?ref=x', 200],
      ['/web/streamm3u?ref=x', 200],
      ['/timers', 200],
      ['/timers/', 200],
      ['/services/tv', 200],
      ['/recording/no/such.ts', 404],
      ['/recording/nor/that.ts', 404],
      ['/picon/nothing.png', 404],
      ['/web/nonsense', 404],
      ['/api/nonsense2', 404],
      ['/no/such/path', 404],
      ['/nor/that', 404],
    ] as const;
    for (const [path, status] of paths) expect([path, (await app.inject(path)).statusCode]).toEqual([path, status]);
    await app.inject({ method: 'HEAD', url: '/timers' });
    await app.inject({ method: 'OPTIONS', url: '/timers' });
    await app.inject({ method: 'POST', url: '/api/messages/1', headers: { 'sec-fetch-site': 'cross-site' } });
    const counted = [...(await samples())].filter(([name]) => name.startsWith('receiverd_http_requests_total'));
    expect(Object.fromEntries(counted)).toEqual({
      [requests('/api/vol', 200)]: 1,
      [requests('/web/vol', 200)]: 1,
      [requests('/web/stream.m3u', 200)]: 2,
      [requests('/timers', 200)]: 2,
      [requests('/timers', 200, 'HEAD')]: 1,
      [requests('/services/tv', 200)]: 1,
      [requests('/recording/*', 404)]: 2,
      [requests('/picon/:file', 404)]: 1,
      [requests('/web/:name', 404)]: 1,
      [requests('/api/:name', 404)]: 1,
      [requests('other', 404)]: 2,
      [requests('other', 200, 'OPTIONS')]: 1,
      [requests('/api/messages/:id', 403, 'POST')]: 1,
    });
  });

  it('have a histogram of durations whose buckets add up', async () => {
    for (let n = 0; n < 3; n++) await app.inject('/api/vol');
    const all = await samples();
    const name = 'receiverd_http_request_duration_seconds';
    const labels = 'route="/api/vol",method="GET"';
    const buckets = ['0.005', '0.05', '0.5', '5', '+Inf'].map(
      (le) => all.get(`${name}_bucket{${labels},le="${le}"}`) ?? -1,
    );
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect([buckets.at(-1), all.get(`${name}_count{${labels}}`)]).toEqual([3, 3]);
    expect(all.get(`${name}_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('follow the conventions for names, units and types', async () => {
    await app.inject('/api/vol');
    expect(problemsOf(await scraped())).toEqual([]);
  });

  it.skipIf(!hasPromtool)('satisfy promtool', async () => {
    await app.inject('/api/vol');
    const { status, stdout, stderr } = promtool(await scraped());
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });
});

describe('the text format', () => {
  const text = exposition([
    {
      name: 'receiverd_things',
      type: 'gauge',
      help: 'A \\ and\na break.',
      samples: [
        { labels: { name: 'a "b" \\ c\nd' }, value: 0.5 },
        { labels: { name: 'unknown' }, value: undefined },
        { value: Number.POSITIVE_INFINITY },
      ],
    },
  ]);

  it('escapes special characters and leaves out unknown values', () => {
    expect(text).toBe(
      '# HELP receiverd_things A \\\\ and\\na break.\n# TYPE receiverd_things gauge\n' +
        'receiverd_things{name="a \\"b\\" \\\\ c\\nd"} 0.5\nreceiverd_things +Inf\n',
    );
  });

  it.skipIf(!hasPromtool)('is what promtool reads', () => {
    expect(promtool(text)).toMatchObject({ status: 0, stderr: '' });
    expect(promtool('receiverd_things{ 1\n').status).not.toBe(0);
  });
});

describe('the documentation of metrics', () => {
  const read = (file: string) => readFileSync(join(packageRoot, 'docs', file), 'utf8');
  const namesIn = (text: string) => new Set(text.match(/\b(receiverd|process)_[a-z0-9_]*[a-z0-9]\b/g) ?? []);
  async function exported() {
    const named = (await scraped()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
    return new Map(Array.from(named, ([, name = '', type = '']) => [name, type]));
  }

  it('docs/monitoring.md lists exactly the existing metrics, with their types', async () => {
    const rows = read('monitoring.md').matchAll(/^\| `((?:receiverd|process)_\w+)` \| (\w+) \|/gm);
    expect(Array.from(rows, ([, ...row]) => row).sort()).toEqual([...(await exported())].sort());
  });

  it('docs/grafana-dashboard.json uses only existing metrics', async () => {
    const types = await exported();
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: readonly Panel[] };
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(10);
    const used = [...namesIn(JSON.stringify(dashboard))];
    const known = [...types].flatMap(([name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    );
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
    // A counter is useful only as a rate.
    for (const expr of queries) {
      for (const name of namesIn(expr)) {
        if (/_(total|bucket|sum|count)$/.test(name))
          expect(expr, name).toMatch(new RegExp(`(rate|increase)\\(${name}\\b`));
      }
    }
  });
});

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

/** The problems that promtool would report, for machines without it. */
function problemsOf(text: string): string[] {
  const problems: string[] = [];
  const families = text.split(/^(?=# HELP )/m);
  const names = new Set<string>();
  for (const family of families) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.+)\n/.exec(family) ?? [];
    const [, typed = '', type = ''] = /^# TYPE (\S+) (counter|gauge|histogram)\n/m.exec(family) ?? [];
    const isCounter = type === 'counter';
    const check = (holds: boolean, what: string) => void (holds || problems.push(`${name}: ${what}`));
    check(/^[a-z][a-z0-9_]*$/.test(name) && typed === name, 'bad name');
    check(!names.has(name), 'twice');
    names.add(name);
    check(help.trim() !== '', 'no help');
    check(name.endsWith('_total') === isCounter, 'only counters end in _total');
    check(!/_(bucket|count|sum)$/.test(name), 'a suffix of histograms');
    check(!/_(gauge|counter|histogram|summary)(_|$)/.test(name), 'a type in the name');
    check(
      !/_(ms|milliseconds|minutes|hours|days|kilobytes|megabytes|kb|mb|bits|percent|celsius)(_|$)/.test(name),
      'no base unit',
    );
    const seen = new Set<string>();
    for (const line of family.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
      const [, full = '', labels = '', value = ''] =
        /^([a-z0-9_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/.exec(line) ?? [];
      check(full === name || (type === 'histogram' && /^_(bucket|sum|count)$/.test(full.slice(name.length))), line);
      check(!Number.isNaN(Number(value)) && value !== '', line);
      check(/\ble="/.test(labels) === full.endsWith('_bucket'), line);
      check(!seen.has(full + labels), `twice: ${line}`);
      seen.add(full + labels);
    }
  }
  return problems;
}
