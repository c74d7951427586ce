/**
 * A typed client of the receiver, for browsers and Node: `import { ReceiverClient } from 'receiverd/client'`. Its types are
 * generated from the receiver's OpenAPI document. It has no dependencies.
 *
 *   const receiver = new ReceiverClient('http://receiver:8080');
 *   const { timers } = await receiver.get('/api/timerlist');
 *   await receiver.post('/api/zap', { sRef: timers[0].serviceref });
 */
import { signalWithin } from '../base/signal-within.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import type { Calls, PushEvents } from './types.ts';

export type * from './types.ts';

type Method = keyof Calls;
/** The paths of an HTTP method, with `{name}` for path parameters. */
export type Path<M extends Method> = keyof Calls[M] & string;
type Call<M extends Method, P extends Path<M>> = Calls[M][P] extends {
  parameters: infer Parameters;
  result: infer Result;
}
  ? { readonly parameters: Parameters; readonly result: Result }
  : never;
/** The response body of a path. */
export type Result<M extends Method, P extends Path<M>> = Call<M, P>['result'];
export type Parameters<M extends Method, P extends Path<M>> = Call<M, P>['parameters'];

/** The arguments after the path. The parameters are optional if the path has no required ones. */
type CallArguments<M extends Method, P extends Path<M>> =
  Record<string, never> extends Parameters<M, P>
    ? [parameters?: Parameters<M, P>, options?: CallOptions]
    : [parameters: Parameters<M, P>, options?: CallOptions];

export interface CallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the headers of a successful response, for example `X-Total-Count` of a search. */
  readonly onHeaders?: (headers: Headers) => void;
  /** The request body, for example a file; the parameters are then sent in the URL. */
  readonly body?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
  /** `low`: other requests come first while the browser has no free connection. */
  readonly priority?: 'low';
  /** Maximum duration of this request, for example of a long upload. Default: that of the client. */
  readonly timeoutMs?: number;
}

export interface ClientOptions {
  /** A token from `receiverd token add`, sent with every request. */
  readonly token?: string;
  /** User and password, instead of a token. Without either, requests in a browser use the session cookie of the page. */
  readonly user?: string;
  readonly password?: string;
  /** Maximum duration of a request; does not apply to `events`. Default: 15,000. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface EventOptions {
  /** The types of events to receive. Default: all. */
  readonly types?: readonly Exclude<EventType, 'signal' | 'reset'>[];
  /** Seconds between two `signal` events, 0.5 or more. Default: no such events. */
  readonly signalIntervalSeconds?: number;
  /** Number of the tuner for `signal` events. Default: the tuner in use. */
  readonly tuner?: number;
  /** Seconds between two heartbeats, 1 to 300. Default: 10. */
  readonly heartbeat?: number;
  /** The id of the last event received, to receive those missed since. */
  readonly lastEventId?: string;
  /** Ends the events. */
  readonly signal?: AbortSignal;
}

export type EventType = keyof PushEvents;

/** An event (docs/events.md), discriminated by its type. A newer receiver may send types that are not listed here. */
export type ReceiverEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: PushEvents[Type]; readonly id: string };
}[EventType];

/** The receiver has rejected a request. `message` is human-readable. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** HTTP status. Operations also fail with status 200. */
  readonly status: number;
  /** One of the stable codes of docs/operations.md#errors, for example `not-found`; empty if the receiver sent none. */
  readonly code: string;
  /** The whole response body. A timer conflict, for example, has `conflicts`. */
  readonly answer: unknown;

  constructor(message: string, status: number, code: string, answer?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.answer = answer;
  }
}

/** There was no response: the network or the receiver is down, or the timeout is over. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

type Values = Readonly<Record<string, unknown>>;

/** The fields that all response bodies may have. */
interface ResponseBody {
  readonly result?: unknown;
  readonly message?: string;
  readonly error?: string;
}

export class ReceiverClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  /** `base`: URL of the web port, `http://receiver:8080`; or `.` in a page that the receiver itself serves. */
  constructor(base = '.', { token, user, password, timeoutMs = 15_000, fetch: own }: ClientOptions = {}) {
    this.#base = base.replace(/(?<!\/)\/+$/, '');
    this.#headers = authorization(token, user, password);
    this.#timeoutMs = timeoutMs;
    this.#fetch = own ?? ((...call) => fetch(...call));
  }

  /**
   * Sends a GET request. Like `post`, `put` and `delete`, rejects with `Refused`, with `Unreachable`, or with the reason of
   * `options.signal`.
   */
  get<P extends Path<'get'>>(path: P, ...given: CallArguments<'get', P>): Promise<Result<'get', P>> {
    return this.#call('get', path, ...(given as [Values?, CallOptions?]));
  }

  post<P extends Path<'post'>>(path: P, ...given: CallArguments<'post', P>): Promise<Result<'post', P>> {
    return this.#call('post', path, ...(given as [Values?, CallOptions?]));
  }

  put<P extends Path<'put'>>(path: P, ...given: CallArguments<'put', P>): Promise<Result<'put', P>> {
    return this.#call('put', path, ...(given as [Values?, CallOptions?]));
  }

  delete<P extends Path<'delete'>>(path: P, ...given: CallArguments<'delete', P>): Promise<Result<'delete', P>> {
    return this.#call('delete', path, ...(given as [Values?, CallOptions?]));
  }

  /**
   * Yields events as they happen (docs/events.md). After an event of type `reset`, some events were missed: request the
   * state again. Throws `Unreachable` when the connection is lost or nothing arrives for two heartbeat intervals. To
   * receive the events missed since, call this again with the `id` of the last event as `lastEventId`.
   */
  async *events(
    { signal, signalIntervalSeconds, types, ...parameters }: EventOptions = {},
    options: { readonly onOpen?: () => void } = {},
  ): AsyncGenerator<ReceiverEvent, never> {
    const heartbeat = parameters.heartbeat ?? 10;
    const silence = new AbortController();
    const abortSignal = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), heartbeat * 2000);
    };
    try {
      restartTimer();
      const response = await this.#fetch(
        this.address('/api/events', {
          ...parameters,
          types: types?.join(','),
          heartbeat,
          signal: signalIntervalSeconds,
        }),
        {
          headers: this.#headers,
          signal: abortSignal,
        },
      );
      if (!response.ok || response.body === null) throw await refusal(response);
      options.onOpen?.();
      for await (const { type, data, id } of readServerSentEvents(response.body, restartTimer)) {
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

  /** The URL of a path, for links, pictures and players. A list repeats its parameter; undefined leaves it out. */
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
    const { signal, body, onHeaders, priority, timeoutMs = this.#timeoutMs } = options;
    signal?.throwIfAborted();
    const { filled, rest } = fill(path, parameters);
    const isForm = body === undefined && (method === 'post' || method === 'put');
    const sent = isForm ? encoded(rest) : body;
    let response: Response;
    let answer: ResponseBody;
    try {
      response = await this.#fetch(isForm ? this.address(filled) : this.address(path, parameters), {
        method: method.toUpperCase(),
        headers: this.#headers,
        signal: signalWithin(timeoutMs, signal),
        ...(sent !== undefined && { body: sent }),
        ...(priority && { priority }),
      });
      answer = (await response.json()) as ResponseBody;
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

function refusedBy({ status }: Response, answer: ResponseBody): Refused {
  const { message, error = '' } = answer;
  return new Refused(message || `status ${status}`, status, error, answer);
}

async function refusal(response: Response): Promise<Refused> {
  return refusedBy(response, ((await response.json().catch(() => ({}))) as ResponseBody | null) ?? {});
}

/** Fills in the path parameters; `{path*}` may contain slashes. `rest`: the parameters that are not in the path. */
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
    for (const item of Array.isArray(value) ? value : [value]) {
      // An empty text stands for null.
      if (item !== undefined) query.append(name, typeof item === 'boolean' ? String(Number(item)) : String(item ?? ''));
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
