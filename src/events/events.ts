/**
 * The event bus of the receiver. src/receiver/receiver.ts publishes the events of the parts; the interfaces subscribe
 * to them.
 *
 * The schemas are the only list of events: the types, `GET /api/events` and its documentation are derived from them. An
 * event contains the current state, not the change, so that a client that has missed some is up to date with the next
 * one. It is published after the change, so a request made in response sees the new state.
 */
import * as Type from 'typebox';
import { Listeners } from '../base/listeners.ts';
import { messageKinds } from '../device/messages.ts';
import { NoticeSchema } from './notice.ts';

const Generation = Type.Integer({ description: 'increases with every change; valid until the receiver restarts' });

export const eventSchemas = {
  service: Type.Object(
    {
      reference: Type.String({ description: 'service reference, as listed in its bouquet' }),
      name: Type.String({ description: 'name, or the title given when zapping' }),
      audioTrack: Type.Integer({ description: 'index of the selected audio track' }),
    },
    { description: 'the current service or its audio track has changed' },
  ),
  volume: Type.Object(
    { level: Type.Integer({ minimum: 0, maximum: 100 }), muted: Type.Boolean() },
    { description: 'the volume has changed, or the sound was muted or unmuted' },
  ),
  standby: Type.Object({ standby: Type.Boolean() }, { description: 'the receiver has entered or left standby' }),
  sleeptimer: Type.Object(
    {
      enabled: Type.Boolean(),
      minutes: Type.Integer({
        minimum: 0,
        description: 'minutes until it expires; when off, the value it was last set to',
      }),
      action: Type.String({ enum: ['standby', 'shutdown'] }),
    },
    { description: 'the sleep timer was set or cancelled, or has expired' },
  ),
  message: Type.Object(
    {
      id: Type.Integer({ description: 'id for answering it; valid until the receiver restarts' }),
      kind: Type.String({ enum: [...messageKinds] }),
      text: Type.String(),
      timeout: Type.Integer({ minimum: 0, description: 'seconds to show it; 0 = until it is closed' }),
      state: Type.String({
        enum: ['open', 'closed', 'yes', 'no'],
        description: '`open` while shown, then how it ended',
      }),
    },
    { description: 'a message is to be shown, was answered or closed, or has expired' },
  ),
  guide: Type.Object(
    { generation: Generation },
    { description: 'the events in the guide have changed: broadcast, imported or deleted' },
  ),
  services: Type.Object(
    { generation: Generation },
    { description: 'the service list or a bouquet was changed or reread' },
  ),
  recording: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'name of the service' }),
      title: Type.String(),
      path: Type.String({ description: 'path of its file' }),
      trouble: Type.String({
        description: 'the current problem, human-readable; empty if there is none',
      }),
    },
    { description: 'a recording has started or stopped, or a problem with it has occurred or been resolved' },
  ),
  recordings: Type.Object(
    { generation: Generation },
    {
      description:
        'a recording was deleted, moved, renamed, copied or given another description through the receiver, or a copy has begun or ended',
    },
  ),
  timeshift: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'name of the service' }),
      trouble: Type.String({ description: 'the current problem, human-readable; empty if there is none' }),
    },
    {
      description: 'timeshift of a service has started or stopped, or a problem with it has occurred or been resolved',
    },
  ),
  timers: Type.Object(
    { generation: Generation },
    { description: 'a timer was added, changed or deleted, or its state has changed' },
  ),
  autotimers: Type.Object(
    { generation: Generation },
    { description: 'an AutoTimer rule was added, changed or deleted, or the AutoTimer settings have changed' },
  ),
  streams: Type.Object(
    { clients: Type.Integer({ minimum: 0, description: 'number of clients now connected' }) },
    { description: 'a live stream client has connected or disconnected' },
  ),
  tuner: Type.Object(
    {
      number: Type.Integer({ minimum: 0, description: 'index into the tuners of tunerstatus and deviceinfo' }),
      name: Type.String({ description: '`Tuner A`' }),
      state: Type.String({ enum: ['idle', 'tuning', 'locked', 'lost', 'retuning'] }),
      reason: Type.String({ description: 'why it does not receive, human-readable; empty if it does' }),
      users: Type.Integer({ minimum: 0, description: 'number of uses; `tunerstatus` lists them' }),
    },
    { description: 'the users or the state of a tuner have changed' },
  ),
  boxes: Type.Object(
    { generation: Generation },
    {
      description:
        'the state or the users of an Enigma2 box that is used as a tuner have changed; enigma2status lists them',
    },
  ),
  scan: Type.Object(
    {
      state: Type.String({ enum: ['idle', 'scanning', 'done', 'stopped', 'failed'] }),
      transponder: Type.String({ description: 'being received, `11836 MHz H`' }),
      number: Type.Integer({ minimum: 0, description: 'its number, from 1' }),
      of: Type.Integer({ minimum: 0, description: 'transponders known so far' }),
    },
    { description: 'a scan of the network has progressed or ended; scanstatus has the details' },
  ),
  notice: NoticeSchema,
} as const;

/** The data of each event. */
export type EventData = { readonly [Name in keyof typeof eventSchemas]: Type.Static<(typeof eventSchemas)[Name]> };
export type EventType = keyof EventData;
/** An event, discriminated by its type. */
export type ReceiverEvent = {
  readonly [Name in EventType]: { readonly type: Name; readonly data: EventData[Name] };
}[EventType];

export const eventTypes = Object.keys(eventSchemas) as readonly EventType[];

/** Passes events from the parts to the interfaces. */
export class Events {
  readonly #listeners = new Listeners<[ReceiverEvent]>();

  /** Calls every listener synchronously. */
  publish<Name extends EventType>(type: Name, data: EventData[Name]): void {
    this.#listeners.call({ type, data } as ReceiverEvent);
  }

  /** Calls `listener` with every event; returns a function that removes it. It must neither throw nor take long. */
  listen(listener: (event: ReceiverEvent) => void): () => void {
    return this.#listeners.add(listener);
  }
}
