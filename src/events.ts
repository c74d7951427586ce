/**
 * What happens to the receiver, for whoever wants to follow it: one bus, on which the parts' own news are put by the receiver
 * (src/receiver.ts), and from which the interfaces take them.
 *
 * The schemas are the only list of events: the types, `GET /api/events` and its documentation follow them. An event says what is
 * now, not what was done, so that one who missed some is right again with the next. It is told after the change: who asks then,
 * gets the new state.
 */
import Type, { type Static } from 'typebox';
import { messageKinds } from './device/messages.ts';
import { Listeners } from './listeners.ts';

const Generation = Type.Integer({ description: 'rises with every change; of this run of the receiver' });

export const eventSchemas = {
  service: Type.Object(
    {
      reference: Type.String({ description: 'service reference, as its bouquet lists it' }),
      name: Type.String({ description: 'name, or the title it was chosen with' }),
      audioTrack: Type.Integer({ description: 'index of the heard audio track' }),
    },
    { description: 'another service is the current one, or another of its audio tracks is heard' },
  ),
  volume: Type.Object(
    { level: Type.Integer({ minimum: 0, maximum: 100 }), muted: Type.Boolean() },
    { description: 'the volume was changed or the sound muted' },
  ),
  standby: Type.Object({ standby: Type.Boolean() }, { description: 'the receiver went into standby or left it' }),
  sleeptimer: Type.Object(
    {
      enabled: Type.Boolean(),
      minutes: Type.Integer({ minimum: 0, description: 'until it acts; what it was set to last when it does not run' }),
      action: Type.String({ enum: ['standby', 'shutdown'] }),
    },
    { description: 'the sleep timer was set or switched off, or has acted' },
  ),
  message: Type.Object(
    {
      id: Type.Integer({ description: 'by which it is answered; of this run of the receiver' }),
      kind: Type.String({ enum: [...messageKinds] }),
      text: Type.String(),
      timeout: Type.Integer({ minimum: 0, description: 'seconds it is shown; 0: until somebody closes it' }),
      state: Type.String({ enum: ['open', 'closed', 'yes', 'no'], description: 'shown now; or how it ended' }),
    },
    { description: 'a message is to be shown, was answered or closed, or its time is up' },
  ),
  guide: Type.Object(
    { generation: Generation },
    { description: 'the guide has other events: from the broadcast, a guide file, or taken away' },
  ),
  services: Type.Object(
    { generation: Generation },
    { description: 'the service list or a bouquet was changed or read again' },
  ),
  recording: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'of the service' }),
      title: Type.String(),
      path: Type.String({ description: 'of its file' }),
      trouble: Type.String({
        description: 'what keeps it from being recorded now, for people; empty while all is well',
      }),
    },
    { description: 'a recording has begun or ended, or something is in its way, or no longer' },
  ),
  timeshift: Type.Object(
    {
      state: Type.String({ enum: ['started', 'stopped', 'trouble'], description: 'what has changed' }),
      reference: Type.String({ description: 'service reference' }),
      name: Type.String({ description: 'of the service' }),
      trouble: Type.String({ description: 'what keeps it from going on now, for people; empty while all is well' }),
    },
    { description: 'timeshift of a service has begun or ended, or something is in its way, or no longer' },
  ),
  timers: Type.Object(
    { generation: Generation },
    { description: 'a timer was added, changed or taken out, or its state is another' },
  ),
  autotimers: Type.Object(
    { generation: Generation },
    { description: 'a rule of the AutoTimer was added, changed or taken out, or its settings are other ones' },
  ),
  streams: Type.Object(
    { clients: Type.Integer({ minimum: 0, description: 'clients that are served now' }) },
    { description: 'a client of the live streams came or went' },
  ),
} as const;

/** What each event carries. */
export type EventData = { readonly [Name in keyof typeof eventSchemas]: Static<(typeof eventSchemas)[Name]> };
export type EventType = keyof EventData;
/** An event, told apart by its type. */
export type ReceiverEvent = {
  readonly [Name in EventType]: { readonly type: Name; readonly data: EventData[Name] };
}[EventType];

export const eventTypes = Object.keys(eventSchemas) as readonly EventType[];

/** The bus. */
export class Events {
  readonly #listeners = new Listeners<[ReceiverEvent]>();

  /** Tells everyone who listens, on the spot. */
  tell<Name extends EventType>(type: Name, data: EventData[Name]): void {
    this.#listeners.call({ type, data } as ReceiverEvent);
  }

  /** Calls `listener` with every event from now on; gives what ends this. It must neither throw nor take long. */
  listen(listener: (event: ReceiverEvent) => void): () => void {
    return this.#listeners.add(listener);
  }
}
