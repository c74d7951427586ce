/** Sends HTTP requests of commands to the receiver that runs on their data folder. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { commandKey } from '../access/accounts.ts';
import { accountsPath, readAccounts } from '../access/accounts-file.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import { redacted } from '../base/secrets.ts';
import type { Configuration } from '../config/config.ts';
import { isMapping } from '../config/configuration-check.ts';
import { DataFolder } from '../host/data-folder.ts';
import type { Finding } from '../host/host.ts';
import { commandSettings } from './command-settings.ts';

/** The web interface of a running receiver, and the token with which commands log in. */
export class RunningReceiver {
  readonly address: URL;
  readonly key: string;

  constructor(address: URL, key: string) {
    this.address = address;
    this.key = key;
  }

  toString(): string {
    return this.address.href;
  }
}

/**
 * The receiver that runs on the data folder; undefined if none runs.
 * @throws ReceiverError `folder-in-use` if it does not serve yet; `file-unreadable` if this user may not read its
 * accounts
 */
export async function runningReceiver({ dataDir }: Configuration): Promise<RunningReceiver | undefined> {
  const owner = DataFolder.owner(dataDir);
  if (owner === undefined) return undefined;
  if (owner.http === undefined)
    throw fail('folder-in-use', dataDir, `process ${owner.pid ?? '?'}, which does not serve yet`);
  const { secret } = await readAccounts(accountsPath(dataDir));
  return new RunningReceiver(new URL(owner.http), commandKey(secret));
}

/** The settings that a running receiver uses. Secrets have the values of its file, if this user may read it. */
export interface SettingsInUse {
  readonly configuration: Configuration;
  /** Its configuration file, which need not exist. */
  readonly file: string;
  /** Names of settings that were given on its command line. */
  readonly flags: readonly string[];
  /** Names of settings that have changed in the file since it was started. */
  readonly pending: readonly string[];
}

/** How long a receiver may take to list its settings. */
const settingsTimeoutMs = 5000;

/** Asks a receiver for its settings. `known`: the settings that this command has loaded. @throws ReceiverError */
export async function settingsInUse(receiver: RunningReceiver, known: Configuration): Promise<SettingsInUse> {
  const signal = AbortSignal.timeout(settingsTimeoutMs);
  const { file, settings } = (await json(await responseOf(receiver, 'api/configuration', { signal }))) as {
    readonly file: string;
    readonly settings: readonly {
      readonly name: string;
      readonly running: string;
      readonly source: string;
      readonly pending: boolean;
    }[];
  };
  // The receiver does not send secrets; this user may be allowed to read them in its file.
  const own = settingsIn(file);
  const configuration = structuredClone(own ?? known);
  for (const { name, running } of settings) {
    if (running !== '') putSetting(configuration, name, JSON.parse(running));
    else if (own === undefined) putSetting(configuration, name, redacted);
  }
  const names = (wanted: (setting: (typeof settings)[number]) => boolean) =>
    settings.filter(wanted).map(({ name }) => name);
  return {
    configuration,
    file,
    flags: names(({ source }) => source === 'flag'),
    pending: names(({ pending }) => pending),
  };
}

/** The settings in a file; undefined if it cannot be read. */
function settingsIn(file: string): Configuration | undefined {
  try {
    return commandSettings({ config: file }, () => undefined);
  } catch {
    return undefined;
  }
}

/** Sets a value. Does nothing for a name that is not one of the configuration, such as those of Enigma2 settings. */
function putSetting(configuration: Configuration, name: string, value: unknown): void {
  const path = name.split('.');
  const last = path.pop() as string;
  const group = path.reduce<unknown>((all, key) => (isMapping(all) ? Reflect.get(all, key) : undefined), configuration);
  if (isMapping(group) && last in group) Object.assign(group, { [last]: value });
}

/** Has a receiver examine itself and its machine. @throws ReceiverError */
export async function findingsFrom(receiver: RunningReceiver, signal: AbortSignal): Promise<readonly Finding[]> {
  const { findings } = (await json(await responseOf(receiver, 'api/doctor', { signal }))) as {
    readonly findings: readonly {
      readonly kind: Finding['kind'];
      readonly subject: string;
      readonly problem: string | null;
      readonly remedy: string | null;
    }[];
  };
  return findings.map(({ kind, subject, problem, remedy }) => {
    return { kind, what: subject, trouble: problem ?? '', remedy: remedy ?? '' };
  });
}

interface RequestOptions {
  readonly body?: Readable;
  readonly signal?: AbortSignal;
  /** Called when the whole body has been sent. */
  readonly onSent?: () => void;
}

/**
 * Sends a request and returns the response with status 200.
 * @throws ReceiverError if it refuses or cannot be reached
 */
export async function responseOf(
  receiver: RunningReceiver,
  path: string,
  options: RequestOptions = {},
): Promise<IncomingMessage> {
  const response = await anyResponseOf(receiver, path, options);
  if (response.statusCode === 200) return response;
  const refusal = (await json(response).catch(() => ({}))) as { message?: string; imported?: number };
  const message = refusal.message ?? `${receiver} responds with status ${response.statusCode}`;
  throw new ReceiverError('internal', message + keptText(refusal.imported));
}

/**
 * Sends a request and returns the response, whatever its status: POST with a `body`, otherwise GET. Uses node:http,
 * because fetch aborts after five minutes without a response, and importing a large file may take longer on a box.
 * @throws ReceiverError if the receiver cannot be reached
 */
export async function anyResponseOf(
  receiver: RunningReceiver,
  path: string,
  { body, signal, onSent }: RequestOptions,
): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${receiver.key}` };
  const method = body ? 'POST' : 'GET';
  const outgoing = request(new URL(path, receiver.address), { method, headers, ...(signal && { signal }) });
  const responding = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  try {
    // A response before the whole body has been sent is an error that says what is wrong with the body.
    const sending = body ? pipeline(body, outgoing).then(() => responding) : responding;
    if (onSent) outgoing.once('finish', onSent);
    if (!body) outgoing.end();
    const [response] = await Promise.race([responding, sending]);
    return response;
  } catch (error) {
    throw new ReceiverError('internal', `${receiver}: ${(error as Error).message}`);
  }
}

/** Text for people: where a command has written. */
export function placeText({ dataDir }: Configuration, receiver: RunningReceiver | undefined): string {
  return receiver === undefined
    ? `data folder ${dataDir}, on which no receiver runs`
    : `the receiver at ${receiver}, data folder ${dataDir}`;
}

/** Text for errors: how many programmes a damaged guide file has added. */
export function keptText(imported = 0): string {
  return imported === 0 ? '' : `; programmes imported before the damage: ${imported}`;
}
