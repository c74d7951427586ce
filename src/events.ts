/**
 * The receiver's events on one bus: src/receiver.ts publishes the news of the parts on it, and the interfaces subscribe
 * to it.
 *
 * The schemas are the only list of events: the types, `GET /api/events` and its documentation derive from them. An
 * event carries the current state, not the change, so that a client that missed some is up to date again with the next.
 * It is sent after the change, so a request made in response sees the new state.
 */
import Type, { type Static } from 'typebox';
import { messageKinds } from './device/messages.ts';
import { Listeners } from './listeners.ts';

const Generation = Type.Integer({ description: 'increases with every change; of this run of the receiver' });

export const eventSchemas = {
  service: Type.Object(
    {
      reference: Type.String({ description: 'service reference, as its bouquet lists it' }),
      name: Type.String({ description: 'name, or the title it was chosen with' }),
      audioTrack: Type.Integer({ description: 'index of the selected audio track' }),
    },
    { description: 'the current service or its selected audio track has changed' },
  ),
  volume: Type.Object(
    { level: Type.Integer({ minimum: 0, maximum: 100 }), muted: Type.Boolean() },
    { description: 'the volume was changed or the sound muted' },
  ),
  standby: Type.Object({ standby: Type.Boolean() }, { description: 'the receiver went into standby or left it' }),
  sleeptimer: Type.Object(
    {
      enabled: Type.Boolean(),
      minutes: Type.Integer({ minimum: 0, description: 'until it acts; its last setting if it does not run' }),
      action: Type.String({ enum: ['standby', 'shutdown'] }),
    },
    { description: 'the sleep timer was set or disabled, or has acted' },
  ),
  message: Type.Object(
    {
      id: Type.Integer({ description: 'for the answer; of this run of the receiver' }),
      kind: Type.String({ enum: [...messageKinds] }),
      text: Type.String(),
      timeout: Type.Integer({ minimum: 0, description: 'seconds it is shown; 0: until somebody closes it' }),
      state: Type.String({
        enum: ['open', 'closed', 'yes', 'no'],
        description: '`open` while shown, then how it ended',
      }),
    },
    { description: 'a message was shown, answered or closed, or has timed out' },
  ),
  guide: Type.Object(
    { generation: Generation },
    { description: 'events of the guide have changed: by the broadcast, a guide file, or removal' },
  ),
  services: Type.Object(
    { generation: Generation },
    { description: 'the service list or a bouquet was changed or reread' },
  ),
  recording: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'of the service' }),
      title: Type.String(),
      path: Type.String({ description: 'of its file' }),
      trouble: Type.String({
        description: 'what prevents it from being recorded now, for people; empty while all is well',
      }),
    },
    { description: 'a recording has started or stopped, or its trouble has changed' },
  ),
  timeshift: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'of the service' }),
      trouble: Type.String({ description: 'what stops it at the moment, for people; empty while all is well' }),
    },
    { description: 'timeshift of a service has started or stopped, or its trouble has changed' },
  ),
  timers: Type.Object(
    { generation: Generation },
    { description: 'a timer was added, changed or removed, or its state has changed' },
  ),
  autotimers: Type.Object(
    { generation: Generation },
    { description: 'a rule of the AutoTimer was added, changed or removed, or its settings have changed' },
  ),
  streams: Type.Object(
    { clients: Type.Integer({ minimum: 0, description: 'clients served now' }) },
    { description: 'a client of the live streams has connected or disconnected' },
  ),
} as const;

/** The data of each event. */
export type EventData = { readonly [Name in keyof typeof eventSchemas]: Static<(typeof eventSchemas)[Name]> };
export type EventType = keyof EventData;
/** An event, discriminated by its type. */
export type ReceiverEvent = {
  readonly [Name in EventType]: { readonly type: Name; readonly data: EventData[Name] };
}[EventType];

export const eventTypes = Object.keys(eventSchemas) as readonly EventType[];

/** The event bus. */
export class Events {
  readonly #listeners = new Listeners<[ReceiverEvent]>();

  /** Calls every listener synchronously. */
  tell<Name extends EventType>(type: Name, data: EventData[Name]): void {
    this.#listeners.call({ type, data } as ReceiverEvent);
  }

  /** Calls `listener` with every event; returns a function that removes it. It must neither throw nor take long. */
  listen(listener: (event: ReceiverEvent) => void): () => void {
    return this.#listeners.add(listener);
  }
}
