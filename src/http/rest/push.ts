/**
 * Push: events of the receiver's bus (src/events/events.ts) as server-sent events, for a bounded number of clients.
 *
 * Each event has an id, `RUN-NUMBER`, and the last events are kept. A client that reconnects sends the last id it has
 * seen and gets the events it missed. If they are no longer available (too long ago, or the receiver was restarted), it
 * gets a `reset` event and has to request the state itself. Slow clients block nobody: unread events stay in memory up
 * to a bound. Then the connection is closed, and the client reconnects with its last id. @fastify/sse writes the format,
 * which takes three lines here, but knows neither bounds nor missed events.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import * as Type from 'typebox';
import { ClientSlots } from '../../base/client-slots.ts';
import type { Configuration } from '../../config/config.ts';
import { type Events, type EventType, eventSchemas, type ReceiverEvent } from '../../events/events.ts';

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
    bitErrors: Type.Number({ description: 'as counted by the hardware' }),
    bitErrorRate: Type.Union([Type.Number(), Type.Null()], { description: 'for each bit; null if unknown' }),
    badBlocks: Type.Union([Type.Number(), Type.Null()], {
      description: 'uncorrected blocks since the tuning; null if unknown',
    }),
  },
  { description: 'the signal of a tuner; sent only with `signal=SECONDS`, never stored' },
);
export type SignalData = Type.Static<typeof SignalData>;

/** Every event on the wire by type, with the schema of its data, which the documents call `VolumeEvent`. */
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

/** Milliseconds after which a client should reconnect when its connection ends. */
const comeBackAfter = 3000;

/** A client's request. */
export interface Subscription {
  /** Event types to send; undefined = all. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** The last id that the client has seen. */
  readonly lastId: string | undefined;
  /** Seconds between two measurements; undefined = none. */
  readonly signal: number | undefined;
  /** Whose signal; undefined: of the tuner in use. */
  readonly tuner: number | undefined;
  /** Seconds between two heartbeats; undefined: as configured. */
  readonly heartbeat: number | undefined;
}

interface Kept {
  readonly type: EventType;
  /** The text on the wire. */
  readonly text: string;
}

export class Push {
  readonly #options: PushOptions;
  readonly #signal: (tuner: number | undefined) => SignalData;
  readonly #clients = new Set<Client>();
  readonly #places: ClientSlots;
  readonly #run = randomUUID().slice(0, 8);
  readonly #unlisten: () => void;
  /** The last events, oldest first. */
  readonly #kept: Kept[] = [];
  #number = 0;

  /** Starts listening immediately. `signal` measures on each call. */
  constructor(events: Events, options: PushOptions, signal: (tuner: number | undefined) => SignalData) {
    this.#options = options;
    this.#places = new ClientSlots(options.maximumClients);
    this.#signal = signal;
    this.#unlisten = events.listen((event) => this.#tell(event));
  }

  get clients(): number {
    return this.#clients.size;
  }

  /**
   * Starts a stream for a client: missed events first, then new ones. `from`: the client, as `Peers.clientOf` names it.
   * @throws ReceiverError `too-many-clients`
   */
  subscribe(wanted: Subscription, from: string): Readable {
    const leave = this.#places.enter(from);
    const client = new Client(wanted, this.#options.clientBound);
    this.#clients.add(client);
    const measure =
      wanted.signal === undefined
        ? undefined
        : setInterval(() => client.send(frame('signal', this.#signal(wanted.tuner))), wanted.signal * 1000);
    const pace = wanted.heartbeat ?? this.#options.heartbeat;
    const heartbeat = setInterval(() => this.#beat(client), pace * 1000).unref();
    client.once('close', () => {
      leave();
      this.#clients.delete(client);
      clearInterval(measure);
      clearInterval(heartbeat);
    });
    this.#begin(client, wanted);
    return client;
  }

  /** Ends every client's stream. */
  close(): void {
    this.#unlisten();
    for (const client of this.#clients) client.push(null);
  }

  #begin(client: Client, { lastId, signal, tuner }: Subscription): void {
    const missed = lastId === undefined ? [] : this.#since(lastId);
    let text = `retry: ${comeBackAfter}\n`;
    // An id without data is not an event, but it lets the client resume from here.
    text += missed === undefined ? frame('reset', {}, this.#id(this.#number)) : `id: ${this.#id(this.#number)}\n\n`;
    if (missed !== undefined && missed.length > 0) {
      const wanted = missed.filter(({ type }) => client.wants(type));
      text = `retry: ${comeBackAfter}\n\n${wanted.map((one) => one.text).join('')}id: ${this.#id(this.#number)}\n\n`;
    }
    if (signal !== undefined) text += frame('signal', this.#signal(tuner));
    // Missed events are bounded by the history and sent regardless of the client's bound.
    client.push(text);
  }

  /** The events after an id; undefined if some of them are no longer available. */
  #since(lastId: string): readonly Kept[] | undefined {
    const last = new RegExp(`^${this.#run}-(\\d{1,15})$`).exec(lastId)?.[1];
    if (last === undefined || Number(last) > this.#number) return undefined;
    const missing = this.#number - Number(last);
    return missing > this.#kept.length ? undefined : this.#kept.slice(this.#kept.length - missing);
  }

  #tell({ type, data }: ReceiverEvent): void {
    this.#number++;
    const text = frame(type, data, this.#id(this.#number));
    this.#kept.push({ type, text });
    if (this.#kept.length > this.#options.history) this.#kept.shift();
    for (const client of this.#clients) if (client.wants(type)) client.send(text);
  }

  /**
   * A comment keeps the connection open in every proxy. The id marks events that the client filters out as seen.
   */
  #beat(client: Client): void {
    client.send(`:\nid: ${this.#id(this.#number)}\n\n`);
  }

  #id(number: number): string {
    return `${this.#run}-${number}`;
  }
}

/** One connection. */
class Client extends Readable {
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #bound: number;

  constructor({ types }: Subscription, bound: number) {
    super();
    this.#types = types;
    this.#bound = bound;
  }

  wants(type: EventType): boolean {
    return this.#types === undefined || this.#types.has(type);
  }

  /** Sends text to the client, or disconnects it if it has too much unread. */
  send(text: string): void {
    if (this.readableEnded || this.destroyed) return;
    if (this.readableLength + text.length > this.#bound) this.destroy();
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
