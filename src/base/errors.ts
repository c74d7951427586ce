/**
 * All domain errors in one table: their codes, which are part of the interface, and their texts, which people read.
 * `http` is the status in the REST family. The operations at `/web/NAME` and `/api/NAME` respond with status 200, False
 * and the text, unless their own table of errors says otherwise.
 */
import { getSystemErrorMap } from 'node:util';
import { ownCommandInError } from './own-command.ts';

interface ErrorKind {
  readonly http: number;
  readonly text: (...details: never[]) => string;
}

export const errors = {
  'parameter-missing': { http: 400, text: (name: string) => `Missing mandatory parameter '${name}'` },
  'parameter-empty': { http: 400, text: (name: string) => `The parameter '${name}' can't be empty` },
  'parameter-invalid': { http: 400, text: (name: string, why: string) => `The parameter '${name}' ${why}` },
  'invalid-reference': {
    http: 400,
    text: (text: string) => `'${text}' is not a service reference, such as 1:0:19:2B66:3F3:1:C00000:0:0:0:`,
  },
  'invalid-flags': {
    http: 400,
    text: (letter: string, allowed: string) => `unknown field letter '${letter}' in flags; the letters are ${allowed}`,
  },
  'configuration-invalid': { http: 500, text: (setting: string, why: string) => `${setting}: ${why}` },
  'addon-missing': {
    http: 500,
    text: (problem: string) =>
      `the native part cannot be loaded (${problem}); docs/installing.md says what each build needs, docs/building.md how to make one`,
  },
  'bad-path': { http: 400, text: (path: string) => `the path ${path} is malformed` },
  'xmltv-malformed': {
    http: 400,
    text: (line: number, column: number, what: string) =>
      `the guide file is damaged in line ${line}, column ${column}: ${what}`,
  },
  'epg-dat-malformed': { http: 400, text: (what: string) => `the guide file (epg.dat) ${what}` },
  'wrong-file': {
    http: 400,
    text: (found: string, wanted: string, use: string) => `the file is ${found}, not ${wanted}; ${use}`,
  },
  'upload-broken-off': { http: 400, text: () => 'the connection was closed before the upload was complete' },
  'rules-malformed': {
    http: 400,
    text: (line: number, what: string) => `the list of rules is damaged in line ${line}: ${what}`,
  },
  'too-large': { http: 413, text: (what: string, max: number) => `${what} is larger than ${max} bytes` },
  'login-needed': { http: 401, text: (why: string) => why },
  outside: {
    http: 403,
    text: (address: string | undefined) =>
      address === undefined
        ? 'cannot tell whether the client is on the local network: name the proxy in access.trustedProxies, and have it send X-Forwarded-For'
        : `${address} is not on the local network, and this receiver has no accounts: add one with '${ownCommandInError('user add NAME')}', or name the address in access.allow`,
  },
  'not-served': {
    http: 403,
    text: (address: string) =>
      `${address} may not use the SAT>IP server; satip.server.allow names the addresses that may`,
  },
  'right-missing': {
    http: 403,
    text: (what: string, permission: string) => `${what} needs the permission '${permission}'`,
  },
  'not-allowed': { http: 403, text: (what: string) => `${what} is not allowed` },
  'host-unknown': {
    http: 403,
    text: (name: string) =>
      `changes are refused under the host name '${name}': use an address, or add the name to hostNames in the configuration`,
  },
  'box-login-refused': { http: 403, text: (box: string) => `${box} refuses this user and password` },
  blocked: { http: 403, text: (service: string) => `Service '${service}' is blocked by parental Control` },
  scrambled: {
    http: 403,
    text: (service: string) => `'${service}' is scrambled by the broadcaster, and nothing here descrambles it`,
  },
  'pin-wrong': { http: 403, text: () => 'the PIN of the parental lock is wrong' },
  'outside-locations': {
    http: 403,
    text: (path: string) => `'${path}' is outside the folders of this receiver`,
  },
  'not-found': { http: 404, text: (what: string) => `${what} not found` },
  'service-not-found': { http: 404, text: (reference: string) => `no service ${reference}` },
  'setting-unknown': { http: 404, text: (key: string) => `this receiver has no setting '${key}'` },
  'setting-invalid': { http: 400, text: (problems: string) => problems },
  'setting-refused': { http: 403, text: (key: string, why: string) => `${key} ${why}` },
  'event-not-found': { http: 404, text: (id: number, service: string) => `no event ${id} on ${service}` },
  'method-not-allowed': { http: 405, text: (method: string) => `${method} is not allowed here` },
  'no-answer': { http: 404, text: () => 'No answer in time' },
  'not-playing': { http: 503, text: () => 'nothing is playing' },
  'no-event': { http: 503, text: (service: string) => `the guide has no present event for ${service}` },
  'not-receivable': {
    http: 503,
    text: (service: string, why = '') => `no tuner can receive ${service}${why && `: ${why}`}`,
  },
  'tuners-busy': {
    http: 503,
    text: (service: string, why: string) => `no tuner is free for ${service}: ${why}`,
  },
  'time-unknown': { http: 503, text: () => 'the time is not known yet' },
  'timer-conflict': {
    http: 409,
    text: (names: string) => `Conflicting Timer(s) detected! ${names}`,
  },
  'timer-refused': { http: 400, text: (name: string) => `Could not add timer '${name}'!` },
  'timer-exists': { http: 409, text: (name: string) => `Timer '${name}' already exists!` },
  'timer-runs': { http: 409, text: (name: string) => `The timer '${name}' now recorded! Not disabled!` },
  'too-many-timers': { http: 507, text: (max: number) => `there are already ${max} timers` },
  'too-many-rules': { http: 507, text: (max: number) => `there are already ${max} rules` },
  'precondition-failed': { http: 412, text: () => 'the file does not meet If-Match or If-Unmodified-Since' },
  'range-not-satisfiable': { http: 416, text: () => 'the range starts beyond the end' },
  'too-many-requests': { http: 429, text: () => 'too many requests' },
  'too-many-conversions': { http: 503, text: (max: number) => `there are already ${max} conversions by ffmpeg` },
  'too-many-exports': { http: 503, text: (max: number, where = '') => `there are already ${max} exports${where}` },
  'too-many-clients': { http: 503, text: (max: number, where = '') => `there are already ${max} clients${where}` },
  'scan-running': { http: 409, text: () => 'a scan of the network is running' },
  'no-scan': { http: 409, text: () => 'No scan is running' },
  'stream-failed': { http: 502, text: (stream: string, why: string) => `the stream ${stream}: ${why}` },
  'table-missing': { http: 504, text: (source: string, table: string) => `no ${table} was received from ${source}` },
  'no-signal': { http: 504, text: (what: string) => `no reception of ${what}` },
  'folder-not-found': { http: 404, text: (folder: string) => `there is no folder '${folder}'` },
  'same-folder': { http: 409, text: (folder: string) => `it is already in '${folder}'` },
  'file-exists': { http: 409, text: (path: string) => `'${path}' already exists` },
  'bad-name': { http: 400, text: (name: string) => `'${name}' is not a valid recording name` },
  'recording-active': { http: 409, text: (path: string) => `'${path}' is being recorded` },
  'recording-busy': { http: 409, text: (path: string) => `'${path}' is being moved or copied` },
  cancelled: { http: 409, text: (what: string) => `'${what}' was cancelled` },
  'demo-missing': {
    http: 501,
    text: () =>
      'this receiver was built without the demo multiplex (RECEIVERD_DEMO); name another tuner with --tuner file:PATH, or with tuners in the configuration',
  },
  unsupported: { http: 501, text: (what: string) => `${what} is not supported` },
  'folder-in-use': {
    http: 503,
    text: (folder: string, owner: string) => `the folder ${folder} is in use by another receiverd (${owner})`,
  },
  'command-failed': { http: 502, text: (program: string, why: string) => `${program}: ${why}` },
  'file-unreadable': { http: 500, text: (path: string, why: string) => `${path}: ${why}` },
  'disk-full': { http: 507, text: (folder: string) => `not enough space is left in ${folder}` },
  'file-unwritable': { http: 500, text: (path: string, why: string) => `${path} cannot be written: ${why}` },
  internal: { http: 500, text: () => 'internal error' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errors;

/** A domain error: a stable code from the table, with its status and text. There is no other class of them. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError';
  readonly code: ErrorCode;
  readonly http: number;
  /** Whole seconds after which the same request may succeed (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined;
  /** The name of the parameter, if `fail` built an error about one. */
  readonly parameter: string | undefined;

  constructor(code: ErrorCode, message: string, retryAfter?: number, parameter?: string) {
    super(message);
    this.code = code;
    this.http = errors[code].http;
    this.retryAfter = retryAfter;
    this.parameter = parameter;
  }
}

/** A value as messages show it: cut after `maxLength` characters. */
export function excerpt(text: string, maxLength = 100): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}

/** The system's description of a failed call, without code, call and path: `no such file or directory`. */
export function systemReason(error: unknown): string {
  const { errno = 0, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno)?.[1] ?? message;
}

/** An error whose reply asks the client to wait for `delayMs` before it tries again. */
export const tooManyRequests = (delayMs: number) =>
  new ReceiverError('too-many-requests', errors['too-many-requests'].text(), Math.max(1, Math.ceil(delayMs / 1000)));

/** Builds an error of the table: `fail('service-not-found', reference)`. */
export function fail<Code extends ErrorCode>(
  code: Code,
  ...details: Parameters<(typeof errors)[Code]['text']>
): ReceiverError {
  const text = errors[code].text as (...details: unknown[]) => string;
  const parameter = code.startsWith('parameter-') ? String(details[0]) : undefined;
  return new ReceiverError(code, text(...details), undefined, parameter);
}
