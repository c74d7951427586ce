/**
 * `receiverd services import`: makes a bouquet of an IPTV channel list. The command changes the files itself; a
 * receiver that runs on the folder then rereads its bouquets.
 */
import { basename } from 'node:path';
import { unescape as decoded } from 'node:querystring';
import { json } from 'node:stream/consumers';
import { ReceiverError } from '../base/errors.ts';
import { ownCommand } from '../base/own-command.ts';
import { urlOf } from '../base/url.ts';
import type { Configuration } from '../config/config.ts';
import { DataFolder } from '../host/data-folder.ts';
import { type ChannelList, readChannelList } from '../iptv/channel-list.ts';
import { importChannels } from '../iptv/import.ts';
import { Logos } from '../pictures/logos.ts';
import { Services } from '../services/services.ts';
import { importGuide } from './epg.ts';
import { openInput, standard, webUrl } from './input.ts';
import { placeText, type RunningReceiver, responseOf, runningReceiver, settingsInUse } from './running-receiver.ts';

export interface ServicesImportOptions {
  /** Name of the bouquet. Default: the name of the file without its extension, or the host. */
  readonly name?: string;
  /** Guide files that are imported afterwards. */
  readonly guide?: readonly string[];
}

/**
 * Imports a channel list from a file or standard input, then the guide files. A list without channels is refused.
 * @throws ReceiverError, Interrupted
 */
export async function importServices(
  configuration: Configuration,
  file: string,
  { name = nameOf(file), guide = [] }: ServicesImportOptions,
): Promise<void> {
  const bouquet = name.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (bouquet === '') throw new ReceiverError('parameter-missing', 'the bouquet needs a name: --name NAME');
  const running = await runningReceiver(configuration);
  const { source } = await openInput(file, 'a channel list');
  const list = await readChannelList(source);
  if (list.channels.length === 0) {
    report(list);
    throw new ReceiverError('parameter-invalid', `${file} has no channel that can be received; nothing was changed`);
  }
  // The receiver may have its Enigma2 folder by a flag.
  const inUse = running === undefined ? undefined : await settingsInUse(running, configuration);
  const { enigma2Dir } = inUse?.configuration ?? configuration;
  const folder = running === undefined ? await DataFolder.lock(configuration.dataDir) : undefined;
  try {
    const services = await Services.load(enigma2Dir);
    const { groups, logos, picons } = await importChannels(services, bouquet, list.channels);
    // A running receiver notices the change.
    await (await Logos.read(configuration.dataDir)).add('list', logos, { picons });
    const radio = list.channels.filter(({ isRadio }) => isRadio).length;
    console.log(`channels imported into ${bouquet}: ${list.channels.length}; groups: ${groups}; radio: ${radio}`);
    console.log(`lists: ${enigma2Dir}, of ${placeText(configuration, running)}`);
  } finally {
    folder?.release();
  }
  if (running !== undefined) await reload(running);
  report(list);
  for (const one of guide) await importGuide(configuration, one);
  if (guide.length === 0)
    for (const url of list.guides) console.log(`its guide: ${ownCommand(`epg import ${quoted(url)}`)}`);
}

/**
 * The name of a file without folder and extension; empty for standard input. Of an address whose path does not end in such
 * a name, the host: the query of a provider's `get.php` contains a password.
 */
function nameOf(file: string): string {
  if (file === standard) return '';
  const url = webUrl.test(file) ? urlOf(file) : undefined;
  if (url !== undefined && !/\.m3u8?$/i.test(url.pathname)) return url.hostname;
  return basename(url === undefined ? file : decoded(url.pathname)).replace(/(?<=.)\.[^.]*$/, '');
}

async function reload(receiver: RunningReceiver): Promise<void> {
  const response = await responseOf(receiver, 'api/servicelistreload?mode=2');
  const { result, message } = (await json(response)) as { readonly result?: boolean; readonly message?: string };
  if (result !== true) throw new ReceiverError('internal', `${receiver} has not reread its bouquets: ${message}`);
}

function report({ skipped, hasShifts }: ChannelList): void {
  if (skipped.count > 0) console.log(`skipped: ${skipped.count}`);
  for (const { line, name, why } of skipped.first)
    console.log(`  line ${line}: ${name === '' ? '' : `${name}: `}${why}`);
  if (skipped.count > skipped.first.length) console.log(`  and ${skipped.count - skipped.first.length} more`);
  if (hasShifts) console.log('tvg-shift is ignored: programmes keep the times of the guide file');
}

/** Quotes a URL for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '%27')}'`;
}
