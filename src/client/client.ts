/**
 * A client of the receiver, for browsers and for Node: `import { ReceiverClient } from 'receiverd/client'`. Its types are made
 * from the receiver's own OpenAPI document. It loads nothing else.
 *
 *   const receiver = new ReceiverClient('http://receiver:8080');
 *   const { timers } = await receiver.get('/api/timerlist');
 *   await receiver.post('/api/zap', { sRef: timers[0].serviceref });
 */
import { readServerSentEvents } from './server-sent-events.ts';
import type { Calls, PushEvents } from './types.ts';

export type * from './types.ts';

type Method = keyof Calls;
/** The paths that a method has, with `{name}` for their parameters. */
export type Path<M extends Method> = keyof Calls[M] & string;
type Call<M extends Method, P extends Path<M>> = Calls[M][P] extends {
  parameters: infer Parameters;
  result: infer Result;
}
  ? { readonly parameters: Parameters; readonly result: Result }
  : never;
/** What a path answers. */
export type Result<M extends Method, P extends Path<M>> = Call<M, P>['result'];
export type Parameters<M extends Method, P extends Path<M>> = Call<M, P>['parameters'];

/** Required parameters make the argument required. */
type Given<M extends Method, P extends Path<M>> =
  Record<string, never> extends Parameters<M, P>
    ? [parameters?: Parameters<M, P>, options?: CallOptions]
    : [parameters: Parameters<M, P>, options?: CallOptions];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes what an answer says in its headers, such as `X-Total-Count` of a search. */
  readonly onHeaders?: (headers: Headers) => void;
  /** A file to send; the parameters then go into the address. */
  readonly body?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
}

export interface ClientOptions {
  /** For every request: a token made by `receiverd token add`. */
  readonly token?: string;
  /** Instead of a token. In a browser, the session of the page is used without either. */
  readonly user?: string;
  readonly password?: string;
  /** Milliseconds to wait for an answer; 15 000 unless said. */
  readonly patience?: number;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

export interface EventsWanted {
  /** Only these; absent: all. */
  readonly types?: readonly Exclude<EventType, 'signal' | 'reset'>[];
  /** Seconds between two `signal` events, 0.5 or more; absent: none. */
  readonly signalEvery?: number;
  /** Whose signal; absent: of the tuner in use. */
  readonly tuner?: number;
  /** Seconds between signs of life, 1 to 300; 10 unless said. */
  readonly heartbeat?: number;
  /** The id of the last event seen. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

export type EventType = keyof PushEvents;

/** An event, told apart by its type: docs/events.md. A later receiver may send types that are not known here. */
export type ReceiverEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: PushEvents[Type]; readonly id: string };
}[EventType];

/** The receiver has refused: what it says, for people, and for programs the HTTP status and the code of the error. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** One of the stable codes of docs/operations.md#errors, for example `not-found`; empty if the receiver sent none. */
  readonly code: string;
  /** The whole answer: a conflict, for example, has `conflicts`. */
  readonly answer: unknown;

  constructor(message: string, status: number, code: string, answer?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.answer = answer;
  }
}

/** No answer: the network, the machine or the receiver is gone, or slower than the patience. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

type Values = Readonly<Record<string, unknown>>;

/** What an answer has at least. */
interface Answered {
  readonly result?: unknown;
  readonly message?: string;
  readonly error?: string;
}

export class ReceiverClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #patience: number;
  readonly #fetch: typeof fetch;

  /** `base` is the address of the web port, `http://receiver:8080`. `.` in a page that the receiver itself serves. */
  constructor(base = '.', { token, user, password, patience = 15_000, fetch: own }: ClientOptions = {}) {
    this.#base = base.replace(/(?<!\/)\/+$/, '');
    this.#headers = authorization(token, user, password);
    this.#patience = patience;
    this.#fetch = own ?? ((...call) => fetch(...call));
  }

  /** Rejects with `Refused` or `Unreachable`, or with the reason of `signal`; so do the others. */
  get<P extends Path<'get'>>(path: P, ...given: Given<'get', P>): Promise<Result<'get', P>> {
    return this.#call('get', path, ...(given as [Values?, CallOptions?]));
  }

  post<P extends Path<'post'>>(path: P, ...given: Given<'post', P>): Promise<Result<'post', P>> {
    return this.#call('post', path, ...(given as [Values?, CallOptions?]));
  }

  put<P extends Path<'put'>>(path: P, ...given: Given<'put', P>): Promise<Result<'put', P>> {
    return this.#call('put', path, ...(given as [Values?, CallOptions?]));
  }

  delete<P extends Path<'delete'>>(path: P, ...given: Given<'delete', P>): Promise<Result<'delete', P>> {
    return this.#call('delete', path, ...(given as [Values?, CallOptions?]));
  }

  /**
   * Events as they happen, docs/events.md; `type` is `reset` if some were missed and everything must be asked anew. Ends
   * with `Unreachable` when the connection breaks or stays silent for longer than two heartbeats; call again with the
   * `id` of the last event as `lastEventId` to miss none.
   */
  async *events(
    { signal, signalEvery, types, ...wanted }: EventsWanted = {},
    options: { readonly onOpen?: () => void } = {},
  ): AsyncGenerator<ReceiverEvent, never> {
    const heartbeat = wanted.heartbeat ?? 10;
    const silence = new AbortController();
    const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), heartbeat * 2000);
    };
    try {
      alive();
      const response = await this.#fetch(
        this.address('/api/events', { ...wanted, types: types?.join(','), heartbeat, signal: signalEvery }),
        {
          headers: this.#headers,
          signal: either,
        },
      );
      if (!response.ok || response.body === null) throw await refusal(response);
      options.onOpen?.();
      for await (const { type, data, id } of readServerSentEvents(response.body, alive)) {
        yield { type, data: JSON.parse(data), id } as ReceiverEvent;
      }
      throw new Unreachable('the receiver has ended the events');
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof Refused || error instanceof Unreachable) throw error;
      throw new Unreachable('the events have stopped', { cause: error });
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  /** The full address of a path, for links, pictures and players. Lists repeat a parameter; undefined leaves it out. */
  address(path: string, parameters: Values = {}): string {
    const { filled, rest } = fill(path, parameters);
    const query = encoded(rest).toString();
    return `${this.#base}${filled}${query && `?${query}`}`;
  }

  async #call<Answer>(
    method: Method,
    path: string,
    parameters: Values = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const { signal, body, onHeaders } = options;
    signal?.throwIfAborted();
    const late = AbortSignal.timeout(this.#patience);
    const { filled, rest } = fill(path, parameters);
    const isForm = body === undefined && (method === 'post' || method === 'put');
    const sent = isForm ? encoded(rest) : body;
    let response: Response;
    let answer: Answered;
    try {
      response = await this.#fetch(isForm ? this.address(filled) : this.address(path, parameters), {
        method: method.toUpperCase(),
        headers: this.#headers,
        signal: signal ? AbortSignal.any([signal, late]) : late,
        ...(sent !== undefined && { body: sent }),
      });
      answer = (await response.json()) as Answered;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new Unreachable(
        `no answer from ${this.#base === '.' ? 'the receiver' : this.#base} to ${method.toUpperCase()} ${path}`,
        {
          cause: error,
        },
      );
    }
    if (!response.ok || answer.result === false) throw refusedBy(response, answer);
    onHeaders?.(response.headers);
    return answer as Answer;
  }
}

function refusedBy({ status }: Response, answer: Answered): Refused {
  const { message, error = '' } = answer;
  return new Refused(message || `status ${status}`, status, error, answer);
}

async function refusal(response: Response): Promise<Refused> {
  return refusedBy(response, ((await response.json().catch(() => ({}))) as Answered | null) ?? {});
}

/** Fills the path's parameters; `{path*}` may contain slashes. `rest` are those that are not in the path. */
function fill(path: string, parameters: Values): { readonly filled: string; readonly rest: Values } {
  const rest = { ...parameters };
  const filled = path.replace(/\{(\w+)\*?\}/g, (_, name: string) => {
    delete rest[name];
    return String(parameters[name]).split('/').map(encodeURIComponent).join('/');
  });
  return { filled, rest };
}

function encoded(parameters: Values): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      // An empty text stands for null.
      if (one !== undefined) query.append(name, typeof one === 'boolean' ? String(Number(one)) : String(one ?? ''));
    }
  }
  return query;
}

function authorization(token = '', user = '', password = ''): Readonly<Record<string, string>> {
  if (token) return { Authorization: `Bearer ${token}` };
  if (!user) return {};
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}
