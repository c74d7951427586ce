/**
 * Push: sends the events of the receiver's bus (src/events/events.ts) as server-sent events to a limited number of
 * clients.
 *
 * Each event has an id, `RUN-NUMBER`, and the last events are stored. A client that reconnects sends the last id it has
 * received, and gets the events it missed. If they are no longer stored, or the receiver was restarted, it gets a `reset`
 * event and has to request the state again. A slow client blocks no other: its unread events are kept in memory up to a
 * limit. Beyond the limit its connection is closed, and it reconnects with its last id.
 *
 * Why not @fastify/sse: it formats the events, which takes three lines here, but has no limits and no missed events.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import * as Type from 'typebox';
import { ClientSlots } from '../../../base/client-slots.ts';
import type { Configuration } from '../../../config/config.ts';
import { type Events, type EventType, eventSchemas, type ReceiverEvent } from '../../../events/events.ts';

type PushOptions = Configuration['push'];

/** The signal of a tuner, pushed to clients that request it. */
export const SignalData = Type.Object(
  {
    tuner: Type.Integer({ description: 'index into the tuners of deviceinfo' }),
    locked: Type.Boolean(),
    quality: Type.Number({ description: 'percent' }),
    strength: Type.Number({ description: 'percent' }),
    snr: Type.Union([Type.Number(), Type.Null()], {
      description: 'signal-to-noise ratio in dB; null if unknown',
    }),
    power: Type.Union([Type.Number(), Type.Null()], { description: 'strength in dBm; null if unknown' }),
    bitErrors: Type.Number({ description: 'bit errors as counted by the hardware' }),
    bitErrorRate: Type.Union([Type.Number(), Type.Null()], { description: 'bit errors per bit; null if unknown' }),
    badBlocks: Type.Union([Type.Number(), Type.Null()], {
      description: 'uncorrected blocks since the tuner was tuned; null if unknown',
    }),
  },
  { description: 'the signal of a tuner; sent only with `signal=SECONDS`, never stored' },
);
export type SignalData = Type.Static<typeof SignalData>;

/** The schemas of the data of all events, by type. In the OpenAPI documents, `volume` is named `VolumeEvent`. */
export const pushedSchemas = named({
  ...eventSchemas,
  signal: SignalData,
  reset: Type.Object({}, { description: 'missed events are no longer available: request the state again' }),
});

function named(schemas: Readonly<Record<string, Type.TSchema>>): Readonly<Record<string, Type.TSchema>> {
  const entries = Object.entries(schemas);
  const nameOf = (type: string) => `${type.replace(/^./, (letter) => letter.toUpperCase())}Event`;
  return Object.fromEntries(entries.map(([type, schema]) => [type, { ...schema, $id: nameOf(type) }]));
}

/** The delay after which a client should reconnect when its connection ends. */
const reconnectDelayMs = 3000;

/** What a client requests. */
export interface Subscription {
  /** Event types to send; undefined = all. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** The last id that the client has received. */
  readonly lastId: string | undefined;
  /** Seconds between two `signal` events; undefined = none. */
  readonly signal: number | undefined;
  /** Number of the tuner for `signal` events; undefined = the tuner in use. */
  readonly tuner: number | undefined;
  /** Seconds between two heartbeats; undefined = as configured. */
  readonly heartbeat: number | undefined;
}

interface StoredEvent {
  readonly type: EventType;
  /** The event in wire format. */
  readonly text: string;
}

export class Push {
  readonly #options: PushOptions;
  readonly #signal: (tuner: number | undefined) => SignalData;
  readonly #clients = new Set<Client>();
  readonly #slots: ClientSlots;
  readonly #runId = randomUUID().slice(0, 8);
  readonly #unlisten: () => void;
  /** The last events, oldest first. */
  readonly #history: StoredEvent[] = [];
  #number = 0;

  /** Subscribes to `events` at once. `signal` measures the signal of a tuner; undefined = the tuner in use. */
  constructor(events: Events, options: PushOptions, signal: (tuner: number | undefined) => SignalData) {
    this.#options = options;
    this.#slots = new ClientSlots(options.maximumClients);
    this.#signal = signal;
    this.#unlisten = events.listen((event) => this.#publish(event));
  }

  get clients(): number {
    return this.#clients.size;
  }

  /**
   * Starts the stream of a client: missed events first, then new ones. `from` identifies the client, as `Peers.clientOf`
   * returns it.
   * @throws ReceiverError `too-many-clients`
   */
  subscribe(wanted: Subscription, from: string): Readable {
    const leave = this.#slots.enter(from);
    const client = new Client(wanted, this.#options.clientBound);
    this.#clients.add(client);
    const measure =
      wanted.signal === undefined
        ? undefined
        : setInterval(() => client.send(frame('signal', this.#signal(wanted.tuner))), wanted.signal * 1000);
    const heartbeatSeconds = wanted.heartbeat ?? this.#options.heartbeat;
    const heartbeat = setInterval(() => this.#sendHeartbeat(client), heartbeatSeconds * 1000).unref();
    client.once('close', () => {
      leave();
      this.#clients.delete(client);
      clearInterval(measure);
      clearInterval(heartbeat);
    });
    this.#sendFirst(client, wanted);
    return client;
  }

  /** Ends every client's stream. */
  close(): void {
    this.#unlisten();
    for (const client of this.#clients) client.push(null);
  }

  #sendFirst(client: Client, { lastId, signal, tuner }: Subscription): void {
    const missed = lastId === undefined ? [] : this.#missedSince(lastId);
    let text = `retry: ${reconnectDelayMs}\n`;
    // An id without data is not an event, but it lets the client resume from here.
    text += missed === undefined ? frame('reset', {}, this.#id(this.#number)) : `id: ${this.#id(this.#number)}\n\n`;
    if (missed !== undefined && missed.length > 0) {
      const wanted = missed.filter(({ type }) => client.wants(type));
      text = `retry: ${reconnectDelayMs}\n\n${wanted.map((one) => one.text).join('')}id: ${this.#id(this.#number)}\n\n`;
    }
    if (signal !== undefined) text += frame('signal', this.#signal(tuner));
    // Not `send`: the missed events may exceed `maxUnreadLength`. The size of the history limits them.
    client.push(text);
  }

  /** The events after an id; undefined if some of them are no longer stored. */
  #missedSince(lastId: string): readonly StoredEvent[] | undefined {
    const last = new RegExp(`^${this.#runId}-(\\d{1,15})$`).exec(lastId)?.[1];
    if (last === undefined || Number(last) > this.#number) return undefined;
    const missing = this.#number - Number(last);
    return missing > this.#history.length ? undefined : this.#history.slice(this.#history.length - missing);
  }

  #publish({ type, data }: ReceiverEvent): void {
    this.#number++;
    const text = frame(type, data, this.#id(this.#number));
    this.#history.push({ type, text });
    if (this.#history.length > this.#options.history) this.#history.shift();
    for (const client of this.#clients) if (client.wants(type)) client.send(text);
  }

  /**
   * Sends a comment and the last id. The comment keeps proxies from closing the connection. The id lets the client skip
   * events of other types than it requested when it reconnects.
   */
  #sendHeartbeat(client: Client): void {
    client.send(`:\nid: ${this.#id(this.#number)}\n\n`);
  }

  #id(number: number): string {
    return `${this.#runId}-${number}`;
  }
}

/** The stream of one client. */
class Client extends Readable {
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #maxUnreadLength: number;

  constructor({ types }: Subscription, maxUnreadLength: number) {
    super();
    this.#types = types;
    this.#maxUnreadLength = maxUnreadLength;
  }

  wants(type: EventType): boolean {
    return this.#types === undefined || this.#types.has(type);
  }

  /** Sends text to the client. Disconnects it instead if its unread text would exceed `maxUnreadLength`. */
  send(text: string): void {
    if (this.readableEnded || this.destroyed) return;
    if (this.readableLength + text.length > this.#maxUnreadLength) this.destroy();
    else this.push(text);
  }

  override _read(): void {
    // Nothing to do: events are pushed when they happen.
  }
}

/** One event in wire format. JSON contains no line breaks. */
function frame(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
