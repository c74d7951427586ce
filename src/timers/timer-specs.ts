/** Builds timer specs from the requests of clients: for a service and times, or for an event of the guide. */
import type { Clock } from '../base/clock.ts';
import { fail, type ReceiverError } from '../base/errors.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { GuideEvent } from '../epg/event.ts';
import { streamAddress } from '../iptv/address.ts';
import { folderMissing, type RecordingFolders } from '../recordings/library/folders.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { type TimerSpec, timerSpec } from './timer.ts';
import { eventFor, type TimerGuide, timerEvent } from './timer-event.ts';

export interface TimerSpecParts {
  readonly services: Services;
  readonly guide: TimerGuide;
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  readonly clock: Clock;
}

/** The optional fields of a timer spec, besides service, times and name. */
export type TimerOptions = Partial<Omit<TimerSpec, 'reference' | 'begin' | 'end' | 'name' | 'event' | 'folder'>> & {
  /** Path sent by the client; '' and `None` mean the timer folder. */
  readonly folder?: string | undefined;
};

/** Duration of an open-ended instant recording, in seconds. */
const openEndedSeconds = 36_000;

/**
 * Resolves a client's reference to a service that can be recorded or shown.
 * @throws ReceiverError `invalid-reference`, or `unsupported` for: a list, marker or recording; a stream that is in no
 * bouquet; unless `justPlay`, a stream whose protocol the receiver does not support
 */
export function resolveRecordable(
  services: Services,
  text: string,
  { justPlay = false }: { readonly justPlay?: boolean } = {},
): ServiceReference {
  const reference = resolveTimerService(services, text);
  const listed = reference.isStream ? services.listedStream(reference) : reference;
  if (listed === undefined)
    throw fail('unsupported', `a timer for a stream that is in no bouquet ('${reference.streamName}')`);
  const refusal = refusalOf(listed, justPlay);
  if (refusal) throw refusal;
  return reference;
}

/**
 * Resolves the reference of a timer's service. Some clients double-encode the colons of a stream URL, so an unknown
 * reference is decoded once more. Known ones are left alone, because an address may itself contain an encoded colon.
 * @throws ReceiverError `invalid-reference`
 */
export function resolveTimerService(services: Services, text: string): ServiceReference {
  const reference = services.resolve(text.trim());
  return services.knows(reference) ? reference : services.resolve(text.trim().replace(/%253a/gi, '%3a'));
}

/** Whether an entry of a bouquet can be recorded or, with `justPlay`, shown. */
export const isRecordable = (entry: ServiceReference, { justPlay }: { readonly justPlay: boolean }) =>
  refusalOf(entry, justPlay) === undefined;

function refusalOf(listed: ServiceReference, justPlay: boolean): ReceiverError | undefined {
  const isBroadcast = listed.path === '' && listed.dvb !== undefined;
  if (listed.isMarker || !(isBroadcast || listed.isAlternatives || listed.isStream))
    return fail('unsupported', `a timer for '${listed.format()}'`);
  if (!listed.isStream || justPlay || streamAddress(listed) !== undefined) return undefined;
  return fail('unsupported', `a timer for a stream that only players can receive ('${listed.name}')`);
}

/** Seconds of extra recording time before and after an event. */
export function recordingMargins(settings: Pick<Settings, 'number'>) {
  return {
    before: settings.number('config.recording.margin_before') * 60,
    after: settings.number('config.recording.margin_after') * 60,
  };
}

/**
 * The folder of a timer; undefined for the timer folder, which is looked up when the timer starts.
 * @throws ReceiverError `outside-locations`
 */
export async function timerFolder(
  locations: RecordingFolders,
  folder: string | undefined,
): Promise<string | undefined> {
  const path = folder?.trim() ?? '';
  return path === '' || path === 'None' ? undefined : locations.resolveForWriting(path);
}

/**
 * The folder for a recording: `requested`, else the timer folder of the settings, else the default folder, else any
 * location. A folder that is outside the locations or not mounted is skipped, because recording elsewhere is better
 * than not at all. `onRefused` receives the reason for each skipped folder, and the folder used instead.
 * @throws ReceiverError `folder-not-found`, `outside-locations` if no folder can be used
 */
export async function recordingFolder(
  locations: RecordingFolders,
  settings: Pick<Settings, 'get'>,
  {
    requested,
    onRefused,
  }: { readonly requested?: string | undefined; readonly onRefused?: (error: Error, folder: string) => void } = {},
): Promise<string> {
  const candidates = [requested, settings.get('config.usage.timer_path'), locations.default, ...locations.all];
  const refusals: Error[] = [];
  for (const path of new Set(candidates)) {
    if (!path?.startsWith('/')) continue;
    try {
      const folder = await locations.resolveForWriting(path);
      const missing = await locations.missingReason(folder);
      if (missing !== '') throw folderMissing(folder, missing);
      for (const refusal of refusals) onRefused?.(refusal, folder);
      return folder;
    } catch (error) {
      refusals.push(error as Error);
    }
  }
  throw refusals[0];
}

/**
 * The spec of a timer for a span of time. Its event is the one with the given id, or the one on air during that time.
 * @throws ReceiverError `outside-locations`
 */
export async function specOfTime(
  { services, guide, locations }: TimerSpecParts,
  given: Pick<TimerSpec, 'reference' | 'begin' | 'end' | 'name'>,
  { folder, eventId, ...options }: TimerOptions,
): Promise<TimerSpec> {
  const service = guideKey(services, given.reference);
  const event = service && (await eventFor(guide, service, given, eventId));
  return timerSpec({
    ...given,
    // Only for an event that the client named: one found by time may be another programme.
    ...(event?.id === eventId && event && !options.repeated && { description: textsOf(event).description }),
    ...options,
    folder: await timerFolder(locations, folder),
    // A repeating timer has another event each time.
    ...(event && { eventId: event.id, ...(options.repeated ? {} : { event: timerEvent(event) }) }),
  });
}

/**
 * The spec of a timer for an event, with the configured margins unless the options have others.
 * @throws ReceiverError `event-not-found`, `outside-locations`
 */
export async function specOfEventId(
  parts: TimerSpecParts,
  reference: ServiceReference,
  eventId: number,
  { folder, ...options }: TimerOptions,
): Promise<TimerSpec> {
  const service = guideKey(parts.services, reference);
  const event = service && (await parts.guide.byId(service, eventId));
  if (!event) throw fail('event-not-found', eventId, reference.format());
  const given = { ...options, folder: await timerFolder(parts.locations, folder), reference };
  return specOfEvent(event, given, options.margins ?? recordingMargins(parts.settings));
}

/** The spec of a timer for this event, with margins in seconds. With `justPlay` it lasts one second, without margins. */
export function specOfEvent(
  event: GuideEvent,
  options: Partial<TimerSpec> & Pick<TimerSpec, 'reference'>,
  { before, after }: { readonly before: number; readonly after: number },
): TimerSpec {
  const { start, duration } = event;
  const span = options.justPlay
    ? { begin: start, end: start + 1 }
    : { begin: start - before, end: start + duration + after };
  return timerSpec({ ...options, ...span, ...textsOf(event) });
}

function textsOf(event: GuideEvent) {
  const { id, title, shortText, extendedText } = event;
  return { name: title, description: shortText || extendedText, eventId: id, event: timerEvent(event) };
}

/**
 * The spec of an instant recording: from now until the end of the current event and its margin or, if `infinite`, for
 * ten hours. It is not stored in `timers.xml`.
 * @throws ReceiverError `no-event`, `time-unknown`, `unsupported` if this is not a live service
 */
export async function specOfInstantRecording(
  { services, guide, settings, clock }: TimerSpecParts,
  reference: ServiceReference,
  name: string,
  { infinite }: { readonly infinite: boolean },
): Promise<TimerSpec> {
  resolveRecordable(services, reference.format());
  // An unset clock shows 1970: once it is set, this timer would have ended decades ago.
  if (!clock.synchronised) throw fail('time-unknown');
  const now = clock.now();
  const service = guideKey(services, reference);
  const event = service && (await guide.at(service, now));
  if (!event && !infinite) throw fail('no-event', name);
  const { after } = recordingMargins(settings);
  // An event that overruns has no known end: it is recorded for its full duration again.
  const endOf = ({ start, duration }: GuideEvent) => (start + duration > now ? start : now) + duration + after;
  return timerSpec({
    reference,
    begin: now,
    end: event && !infinite ? Math.max(endOf(event), now + 1) : now + openEndedSeconds,
    ...(event ? textsOf(event) : { name: `instant record ${name}`.trim() }),
    afterEvent: 'nothing',
    dontSave: true,
    // A ten-hour recording should not stop with an event.
    ...(infinite && { event: undefined }),
  });
}
