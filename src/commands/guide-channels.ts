/** `receiverd epg channels | match`: which channels have no guide, and the channels of guide files chosen for them. */
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { ReceiverError } from '../base/errors.ts';
import type { Configuration } from '../config/config.ts';
import { type RunningReceiver, responseOf, runningReceiver } from './running-receiver.ts';

interface Listed {
  readonly servicereference: string;
  readonly servicename: string;
  readonly guide: boolean;
  readonly channel: string;
}

/** Prints the channels that have no guide, with the most similar channels of guide files, and those with a choice. */
export async function listChannels(configuration: Configuration, text: string, limit: number): Promise<void> {
  const receiver = await running(configuration);
  const { services, found, known } = await matches(receiver, text, limit);
  for (const { servicereference, servicename, guide, channel } of services) {
    console.log(`${servicename}  ${servicereference}  ${channel || (guide ? '' : 'no guide')}`.trimEnd());
    if (channel !== '') continue;
    const query = new URLSearchParams({ what: servicename, max: '3' });
    const { channels } = await answer<{ channels: { id: string; name: string }[] }>(
      receiver,
      `api/guidechannels/search?${query}`,
    );
    for (const { id, name } of channels) console.log(`    ${id}  ${name}`);
  }
  console.error(`${services.length} of ${found}; channels of guide files: ${known}`);
}

/** Chooses a channel of guide files for a service; without a channel, matches it automatically again. */
export async function matchChannel(configuration: Configuration, service: string, channel = ''): Promise<void> {
  const receiver = await running(configuration);
  const query = new URLSearchParams({ service_reference: await referenceOf(receiver, service), channel });
  await (await responseOf(receiver, `api/guidechannels?${query}`, { body: Readable.from([]) })).resume();
  console.log('saved; the guide sources are imported again in a minute');
}

async function running(configuration: Configuration): Promise<RunningReceiver> {
  const receiver = await runningReceiver(configuration);
  if (receiver) return receiver;
  throw new ReceiverError('internal', `no receiver runs on the data folder ${configuration.dataDir}; start it first`);
}

/** The reference of a service that is given by it, or by the name of a channel. */
async function referenceOf(receiver: RunningReceiver, service: string): Promise<string> {
  if (/^\d+:\d+:/.test(service)) return service;
  const { services } = await matches(receiver, service, 1000, { all: '1' });
  const [named, another] = services.filter(({ servicename }) => servicename === service);
  if (named && !another) return named.servicereference;
  const why = named ? 'several channels have this name' : 'no channel of the bouquets has this name';
  throw new ReceiverError('parameter-invalid', `'${service}': ${why}; give its service reference`);
}

const matches = (receiver: RunningReceiver, what: string, limit: number, more: Readonly<Record<string, string>> = {}) =>
  answer<{ services: readonly Listed[]; found: number; known: number }>(
    receiver,
    `api/guidechannels?${new URLSearchParams({ what, max: String(limit), ...more })}`,
  );

const answer = async <Answer>(receiver: RunningReceiver, path: string): Promise<Answer> =>
  (await json(await responseOf(receiver, path))) as Answer;
