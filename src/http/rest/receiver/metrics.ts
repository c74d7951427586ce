/**
 * `/metrics`: metrics of the receiver for Prometheus (docs/monitoring.md). All of them are read at the time of a request;
 * only HTTP requests are counted continuously.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as Type from 'typebox';
import type { ListedSource } from '../../../guide-sources/guide-sources.ts';
import { timerStates } from '../../../timers/timer.ts';
import { type RouteDraft, route } from '../../endpoint/route.ts';
import { type CountedRequests, durationBoundsSeconds, type RequestCounts } from '../../middleware/request-counts.ts';
import type { ReceiverParts, Signal, TunerState } from '../../parts/parts.ts';
import { exposition, expositionType, type Labels, type Metric, type Sample } from '../../write/exposition.ts';
import type { Push } from './push.ts';

/** Parts of the web port, which are not in `ReceiverParts`. */
interface WebPortParts {
  readonly push: Pick<Push, 'clients'>;
  readonly requests: RequestCounts;
}

/** The route of the metrics. */
export function metricsRoute(push: Push, requests: RequestCounts): RouteDraft {
  return route({
    path: '/metrics',
    name: 'metrics',
    summary: 'Counters and measurements in Prometheus’ text format.',
    responses: {
      200: {
        description: 'the metrics',
        types: [expositionType],
        schema: Type.String(),
        example: exposition([gauge('receiverd_timers', timersHelp, [{ labels: { state: 'waiting' }, value: 2 }])]),
      },
    },
    async run(parts) {
      const body = exposition(await metricsOf(parts, { push, requests }));
      return { document: { contentType: expositionType, body } };
    },
  });
}

type Values = number | undefined | readonly Sample[];

const metric =
  (type: Metric['type']) =>
  (name: string, help: string, values: Values): Metric => {
    return { name, type, help, samples: typeof values === 'object' ? values : [{ value: values }] };
  };
const gauge = metric('gauge');
const counter = metric('counter');
const histogram = metric('histogram');

const timersHelp = 'Timers by state; those that are switched off count as disabled.';

async function metricsOf(parts: ReceiverParts, { push, requests }: WebPortParts): Promise<readonly Metric[]> {
  const startedAt = performance.now();
  await nextTurn();
  const delay = (performance.now() - startedAt) / 1000;
  return [
    gauge('receiverd_build_info', 'Always 1; the labels have the version.', [
      { labels: { version: parts.device.identity.version, node: process.versions.node }, value: 1 },
    ]),
    ...tunerMetrics(parts.tuners.list()),
    ...networkMetrics(parts),
    ...(await guideMetrics(parts)),
    ...recordingMetrics(parts),
    gauge('receiverd_timers', timersHelp, timersByState(parts)),
    gauge('receiverd_stream_clients', 'Clients of live streams.', parts.streams.clients().length),
    counter(
      'receiverd_stream_clients_dropped_total',
      'Clients of live streams that were dropped because they read too slowly.',
      parts.streams.dropped,
    ),
    gauge('receiverd_push_clients', 'Clients of the event stream.', push.clients),
    gauge('receiverd_satip_sessions', 'Sessions of the SAT>IP server.', parts.satip?.clients.length ?? 0),
    ...(await diskMetrics(parts)),
    ...requestMetrics(requests.all),
    ...processMetrics(delay),
  ];
}

function tunerMetrics(tuners: readonly TunerState[]): readonly Metric[] {
  const named = tuners.map((tuner) => ({ tuner, labels: { tuner: tuner.name } }));
  const each = (value: (tuner: TunerState) => number | undefined) =>
    named.map(({ tuner, labels }) => ({ labels, value: value(tuner) }));
  const ofSignal = (value: (signal: Signal) => number | undefined) =>
    each(({ signal }) => (signal === undefined ? undefined : value(signal)));
  const totals = named.map(({ tuner, labels }) => ({ totals: tuner.totals, labels }));
  const total = (name: keyof TunerState['totals']) =>
    totals.map(({ totals: { [name]: value }, labels }) => ({ labels, value }));
  const name = (rest: string) => `receiverd_tuner_${rest}`;
  return [
    gauge(
      name('info'),
      'Always 1; its labels describe the tuner.',
      named.map(({ tuner: { source, model }, labels }) => ({ labels: { ...labels, source, model }, value: 1 })),
    ),
    gauge(
      name('active'),
      'Whether the tuner is switched on.',
      each(({ condition }) => Number(condition.state !== 'idle')),
    ),
    gauge(
      name('locked'),
      'Whether the tuner receives a signal.',
      each(({ condition }) => Number(condition.state === 'locked')),
    ),
    gauge(
      name('users'),
      'Users of the tuner: streams, recordings, the guide collection.',
      each(({ users }) => users.length),
    ),
    gauge(
      name('signal_quality_ratio'),
      'Signal quality of an active tuner, 0 to 1.',
      ofSignal(({ quality }) => quality / 100),
    ),
    gauge(
      name('signal_strength_ratio'),
      'Signal strength of an active tuner, 0 to 1.',
      ofSignal(({ strength }) => strength / 100),
    ),
    gauge(
      name('snr_decibels'),
      'Signal to noise ratio of an active tuner that reports it.',
      ofSignal(({ snr }) => snr),
    ),
    gauge(
      name('signal_dbm'),
      'Signal strength of an active tuner that reports it in dBm.',
      ofSignal(({ power }) => power),
    ),
    counter(name('received_bytes_total'), 'Bytes received.', total('bytes')),
    counter(
      name('continuity_errors_total'),
      'Gaps of the continuity counters: each is at least one lost packet.',
      total('continuityErrors'),
    ),
    counter(
      name('transport_errors_total'),
      'Packets that the demodulator could not correct.',
      total('transportErrors'),
    ),
    counter(
      name('section_crc_errors_total'),
      'Sections of tables that were dropped because of their CRC_32.',
      total('sectionCrcErrors'),
    ),
    counter(
      name('sections_lost_total'),
      'Sections of tables that were lost because packets were missing.',
      total('sectionsLost'),
    ),
    counter(
      name('overflows_total'),
      'Times that data was lost because it was not read from the device in time.',
      total('overflows'),
    ),
    counter(
      name('network_packets_lost_total'),
      'Datagrams of a tuner in the network that did not arrive.',
      total('networkLost'),
    ),
  ];
}

function networkMetrics({ network: { running, totals } }: ReceiverParts): readonly Metric[] {
  return [
    gauge('receiverd_network_streams', 'Network streams (IPTV) in reception.', running),
    counter('receiverd_network_stream_received_bytes_total', 'Bytes received from network streams.', totals.bytes),
    counter(
      'receiverd_network_stream_continuity_errors_total',
      'Gaps of the continuity counters in network streams.',
      totals.continuityErrors,
    ),
  ];
}

async function guideMetrics({ guide, collector, guideSources, clock }: ReceiverParts): Promise<readonly Metric[]> {
  const { events, services, memoryBytes } = await guide.statistics();
  return [
    gauge('receiverd_guide_events', 'Events in the guide.', events),
    gauge('receiverd_guide_services', 'Services with events in the guide.', services),
    gauge('receiverd_guide_memory_bytes', 'Memory of the guide.', memoryBytes),
    gauge(
      'receiverd_guide_collection_age_seconds',
      'Time since a tuner was last used to collect the guide; absent before the first time.',
      collector.age,
    ),
    ...guideSourceMetrics(guideSources.all, clock.now()),
  ];
}

function guideSourceMetrics(sources: readonly ListedSource[], now: number): readonly Metric[] {
  const each = (value: (result: ListedSource['result']) => number | undefined) =>
    sources.map(({ source, result }) => ({
      labels: { source: source.name, id: source.id },
      value: result.checked === 0 ? undefined : value(result),
    }));
  return [
    gauge(
      'receiverd_guide_source_age_seconds',
      'Time since a guide source was last imported; absent before the first time.',
      each(({ imported }) => (imported === 0 ? undefined : now - imported)),
    ),
    gauge(
      'receiverd_guide_source_failures',
      'Failed readings of a guide source since it was last read.',
      each(({ failures }) => failures),
    ),
    gauge(
      'receiverd_guide_source_programmes',
      'Programmes that the last import of a guide source has added to the guide.',
      each(({ programmes }) => programmes),
    ),
  ];
}

function recordingMetrics({ recorder: { active, totals } }: ReceiverParts): readonly Metric[] {
  return [
    gauge('receiverd_recordings_running', 'Recordings in progress.', active.length),
    gauge(
      'receiverd_recordings_in_trouble',
      'Recordings in progress with a problem: no signal, no tuner, scrambled, disk full or slow.',
      active.filter(({ trouble }) => trouble !== undefined).length,
    ),
    counter('receiverd_recorded_bytes_total', 'Bytes that recordings have written.', totals.bytes),
    counter('receiverd_recording_lost_bytes_total', 'Bytes lost because the disk was too slow.', totals.lost),
    counter(
      'receiverd_recording_continuity_errors_total',
      'Gaps of the continuity counters in recordings.',
      totals.continuityErrors,
    ),
  ];
}

function timersByState({ timers }: ReceiverParts): readonly Sample[] {
  const counts = new Map<string, number>([...timerStates, 'disabled'].map((state) => [state, 0]));
  for (const { state, disabled } of timers.all) {
    const shown = disabled && state !== 'ended' ? 'disabled' : state;
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return [...counts].map(([state, value]) => ({ labels: { state }, value }));
}

async function diskMetrics({ device }: ReceiverParts): Promise<readonly Metric[]> {
  const disks = await device.disks();
  return [
    gauge(
      'receiverd_disk_free_bytes',
      'Bytes that may still be written to the disks of recordings and data.',
      disks.map(({ mount, free }) => ({ labels: { mount }, value: free })),
    ),
    gauge(
      'receiverd_disk_size_bytes',
      'Size of these disks.',
      disks.map(({ mount, capacity }) => ({ labels: { mount }, value: capacity })),
    ),
  ];
}

function requestMetrics(all: readonly CountedRequests[]): readonly Metric[] {
  const labelsOf = ({ route, method }: CountedRequests): Labels => ({ route, method });
  return [
    counter(
      'receiverd_http_requests_total',
      'Requests of the web port that were answered, by route, method and status.',
      all.flatMap((one) =>
        [...one.byStatus].map(([status, value]) => ({ labels: { ...labelsOf(one), status: `${status}` }, value })),
      ),
    ),
    histogram(
      'receiverd_http_request_duration_seconds',
      'Time from a request to the end of its answer.',
      all.flatMap((one) => durations(one, labelsOf(one))),
    ),
  ];
}

function durations({ byDuration, seconds }: CountedRequests, labels: Labels): readonly Sample[] {
  let count = 0;
  const buckets = [...durationBoundsSeconds, '+Inf'].map((bound, index) => {
    count += byDuration[index] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: `${bound}` }, value: count };
  });
  return [...buckets, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: count }];
}

/** The metrics named `process_…` have the standard names that all programs use for Prometheus. */
function processMetrics(delay: number): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const { active, idle } = performance.eventLoopUtilization();
  return [
    gauge('receiverd_uptime_seconds', 'Uptime of the program.', process.uptime()),
    gauge(
      'process_start_time_seconds',
      'Unix time of the start of the program, by the clock of the machine at that time.',
      performance.timeOrigin / 1000,
    ),
    counter('process_cpu_seconds_total', 'Processor time of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('receiverd_heap_used_bytes', 'JavaScript heap in use.', heapUsed),
    counter('receiverd_event_loop_active_seconds_total', 'Time that the JavaScript thread was busy.', active / 1000),
    counter('receiverd_event_loop_idle_seconds_total', 'Time that the JavaScript thread waited.', idle / 1000),
    gauge('receiverd_event_loop_delay_seconds', 'Time that this response waited for the event loop.', delay),
  ];
}
