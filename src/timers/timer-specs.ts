/** Builds timer orders from what clients send: a service and times, or an event of the guide. */
import type { Clock } from '../base/clock.ts';
import { fail, type ReceiverError } from '../base/errors.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { GuideEvent } from '../epg/event.ts';
import { streamAddress } from '../iptv/address.ts';
import { notThere, type RecordingFolders } from '../recordings/folders.ts';
import { guideKey } from '../services/guide-key.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { type TimerSpec, timerSpec } from './timer.ts';
import { eventFor, type TimerGuide, timerEvent } from './timer-event.ts';

export interface OrderParts {
  readonly services: Services;
  readonly guide: TimerGuide;
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  readonly clock: Clock;
}

/** The optional fields of an order, beside service, time and name. */
export type TimerOptions = Partial<Omit<TimerSpec, 'reference' | 'begin' | 'end' | 'name' | 'event' | 'folder'>> & {
  /** As the client names it; '' and `None` mean the timer folder. */
  readonly folder?: string | undefined;
};

/** Ten hours. */
const endless = 36_000;

/**
 * Resolves a client's reference to a service that can be recorded or shown.
 * @throws ReceiverError `invalid-reference`; `unsupported` for a list, a marker or a recording, and for a stream that is in
 * no bouquet, or that only players receive, unless it is only shown
 */
export function recordable(
  services: Services,
  text: string,
  { justPlay = false }: { readonly justPlay?: boolean } = {},
): ServiceReference {
  // Some clients double-encode the colons of a stream URL.
  const reference = services.resolve(text.trim().replace(/%253a/gi, '%3a'));
  const listed = reference.isStream && !justPlay ? services.listedStream(reference) : reference;
  if (listed === undefined)
    throw fail('unsupported', `a timer for a stream that is in no bouquet ('${reference.name}')`);
  const trouble = troubleWith(listed, justPlay);
  if (trouble) throw trouble;
  return reference;
}

/** Whether an entry of a bouquet can be recorded or shown. */
export const isRecordable = (entry: ServiceReference, { justPlay }: { readonly justPlay: boolean }) =>
  troubleWith(entry, justPlay) === undefined;

function troubleWith(listed: ServiceReference, justPlay: boolean): ReceiverError | undefined {
  const isList = listed.isMarker || listed.isDirectory || (listed.canDescend && !listed.isAlternatives);
  if (isList || listed.isFile) return fail('unsupported', `a timer for '${listed.format()}'`);
  if (!listed.isStream || justPlay || streamAddress(listed) !== undefined) return undefined;
  return fail('unsupported', `a timer for a stream that only players receive ('${listed.name}')`);
}

/** Seconds of extra recording time before and after an event. */
export function recordingMargins(settings: Pick<Settings, 'number'>) {
  return {
    before: settings.number('config.recording.margin_before') * 60,
    after: settings.number('config.recording.margin_after') * 60,
  };
}

/** Undefined for the timer folder, whatever that is when the timer starts. @throws ReceiverError `outside-locations` */
export async function timerFolder(locations: RecordingFolders, named: string | undefined): Promise<string | undefined> {
  const path = named?.trim() ?? '';
  return path === '' || path === 'None' ? undefined : locations.forWriting(path);
}

/**
 * The folder that a recording goes to: the one named for it, else the timer folder of the settings, else the default
 * folder. One that is not ours, or no longer, counts as none, and so does one whose location is not there: recording into
 * another location is better than not at all. `onRefused` receives each reason why the folder is not the one wanted.
 * @throws ReceiverError `folder-not-found`, `outside-locations` if no location is there
 */
export async function recordingFolder(
  locations: RecordingFolders,
  settings: Pick<Settings, 'get'>,
  {
    named,
    onRefused,
  }: { readonly named?: string | undefined; readonly onRefused?: (error: Error, folder: string) => void } = {},
): Promise<string> {
  const wanted = [named, settings.get('config.usage.timer_path'), locations.default, ...locations.all];
  const refusals: Error[] = [];
  for (const path of new Set(wanted)) {
    if (!path?.startsWith('/')) continue;
    try {
      const folder = await locations.forWriting(path);
      const missing = await locations.missing(folder);
      if (missing !== '') throw notThere(folder, missing);
      for (const refusal of refusals) onRefused?.(refusal, folder);
      return folder;
    } catch (error) {
      refusals.push(error as Error);
    }
  }
  throw refusals[0];
}

/**
 * An order for a span of time. The event is the named one, or the one on air then.
 * @throws ReceiverError `outside-locations`
 */
export async function specOfTime(
  { services, guide, locations }: OrderParts,
  given: Pick<TimerSpec, 'reference' | 'begin' | 'end' | 'name'>,
  { folder, eventId: named, ...wishes }: TimerOptions,
): Promise<TimerSpec> {
  const service = guideKey(services, given.reference);
  const event = service && (await eventFor(guide, service, given, named));
  return timerSpec({
    ...given,
    ...(event?.id === named && event && !wishes.repeated && { description: textsOf(event).description }),
    ...wishes,
    folder: await timerFolder(locations, folder),
    // A repeated timer has a different event each time.
    ...(event && { eventId: event.id, ...(wishes.repeated ? {} : { event: timerEvent(event) }) }),
  });
}

/**
 * An order for an event, with the configured margins; an order that only shows it begins with the event.
 * @throws ReceiverError `event-not-found`, `outside-locations`
 */
export async function specOfEvent(
  parts: OrderParts,
  reference: ServiceReference,
  eventId: number,
  { folder, ...wishes }: TimerOptions,
): Promise<TimerSpec> {
  const service = guideKey(parts.services, reference);
  const event = service && (await parts.guide.byId(service, eventId));
  if (!event) throw fail('event-not-found', eventId, reference.format());
  const given = { ...wishes, folder: await timerFolder(parts.locations, folder), reference };
  return orderOf(event, given, recordingMargins(parts.settings));
}

/** An order for this event, with margins in seconds; an order that only shows it begins with the event. */
export function orderOf(
  event: GuideEvent,
  wishes: Partial<TimerSpec> & Pick<TimerSpec, 'reference'>,
  { before, after }: { readonly before: number; readonly after: number },
): TimerSpec {
  const { start, duration } = event;
  const span = wishes.justPlay
    ? { begin: start, end: start + 1 }
    : { begin: start - before, end: start + duration + after };
  return timerSpec({ ...wishes, ...span, ...textsOf(event) });
}

function textsOf(event: GuideEvent) {
  const { id, title, shortText, extendedText } = event;
  return { name: title, description: shortText || extendedText, eventId: id, event: timerEvent(event) };
}

/**
 * An order that records a service from now on: until its event and the margin are over, or for ten hours. It is not
 * stored in `timers.xml`.
 * @throws ReceiverError `no-event`, `time-unknown`, `unsupported` if this is not a live service
 */
export async function instantOrder(
  { services, guide, settings, clock }: OrderParts,
  reference: ServiceReference,
  name: string,
  { infinite }: { readonly infinite: boolean },
): Promise<TimerSpec> {
  recordable(services, reference.format());
  // It would be long over once the time is known.
  if (!clock.synchronised) throw fail('time-unknown');
  const now = clock.now();
  const service = guideKey(services, reference);
  const event = service && (await guide.at(service, now));
  if (!event && !infinite) throw fail('no-event', name);
  const planned = event ? event.start + event.duration : now;
  // Nobody knows how long a show that overruns takes; it gets its length once more.
  const over = event ? (planned > now ? planned : now + event.duration) + recordingMargins(settings).after : now;
  return timerSpec({
    reference,
    begin: now,
    end: infinite ? now + endless : Math.max(over, now + 1),
    ...(event ? textsOf(event) : { name: `instant record ${name}`.trim() }),
    afterEvent: 'nothing',
    dontSave: true,
    // A ten-hour recording should not stop with an event.
    ...(infinite && { event: undefined }),
  });
}
