/** How commands reach the receiver that runs on their data folder: over HTTP. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { commandKey } from '../access/accounts.ts';
import { accountsPath, readAccounts } from '../access/accounts-file.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import type { Configuration } from '../config/config.ts';
import { DataFolder } from '../host/data-folder.ts';

/** The web interface of a receiver, and what admits commands of its owner. */
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
 * The receiver on this folder; undefined if none runs.
 * @throws ReceiverError `folder-in-use` while it does not serve yet; `file-unreadable` of accounts of somebody else
 */
export async function runningReceiver({ dataDir }: Configuration): Promise<RunningReceiver | undefined> {
  const owner = DataFolder.owner(dataDir);
  if (owner === undefined) return undefined;
  if (owner.http === undefined)
    throw fail('folder-in-use', dataDir, `process ${owner.pid ?? '?'}, which does not serve yet`);
  const { secret } = await readAccounts(accountsPath(dataDir));
  return new RunningReceiver(new URL(owner.http), commandKey(secret));
}

interface RequestOptions {
  readonly body?: Readable;
  readonly signal?: AbortSignal;
  /** Called when the whole body is on its way. */
  readonly onSent?: () => void;
}

/**
 * Asks a receiver; a `body` is POSTed. Uses node:http: fetch gives up after five minutes without a response, and a large file may take longer
 * on a box.
 * @throws ReceiverError if it refuses or cannot be reached
 */
export async function responseOf(
  receiver: RunningReceiver,
  path: string,
  { body, signal, onSent }: RequestOptions = {},
): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${receiver.key}` };
  const method = body ? 'POST' : 'GET';
  const asking = request(new URL(path, receiver.address), { method, headers, ...(signal && { signal }) });
  const responding = once(asking, 'response') as Promise<[IncomingMessage]>;
  try {
    // A response that arrives before the whole body was sent says what is wrong with the body.
    const sending = body ? pipeline(body, asking).then(() => responding) : responding;
    if (onSent) asking.once('finish', onSent);
    if (!body) asking.end();
    const [response] = await Promise.race([responding, sending]);
    if (response.statusCode === 200) return response;
    const refusal = (await json(response).catch(() => ({}))) as { message?: string; imported?: number };
    const message = refusal.message ?? `${receiver} responds with status ${response.statusCode}`;
    throw new ReceiverError('internal', message + keptText(refusal.imported));
  } catch (error) {
    if (error instanceof ReceiverError) throw error;
    throw new ReceiverError('internal', `${receiver}: ${(error as Error).message}`);
  }
}

/** What a damaged guide file leaves behind. */
export function keptText(imported = 0): string {
  return imported === 0 ? '' : `; programmes imported before the damage: ${imported}`;
}
