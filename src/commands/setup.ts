/** `receiverd setup`: prepares the first start on real hardware with one command and one question. */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { accountsPath, readAccounts } from '../access/accounts-file.ts';
import { keepSetupCode, newSetupCode, setupLink } from '../access/setup-code.ts';
import { countrySettings } from '../base/country-settings.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import { readRegularFile } from '../base/files.ts';
import { ownCommand } from '../base/own-command.ts';
import type { Configuration } from '../config/config.ts';
import { Settings, settingsText } from '../config/enigma2-settings.ts';
import { namesEnigma2 } from '../config/enigma2-spec.ts';
import { findNetworkTuners } from '../dvb/network-tuners.ts';
import { findFrontEnds } from '../dvb/open-tuners.ts';
import { Aerials } from '../dvb/satellite/nim-settings.ts';
import { Tuner } from '../dvb/tuner.ts';
import { TunerPool } from '../dvb/tuner-pool.ts';
import { findBoxes } from '../enigma2/find-box.ts';
import { DataFolder } from '../host/data-folder.ts';
import { guessedPlace, placeOf, placeText, prepareSetup } from '../scan/first-setup.ts';
import { countServices } from '../scan/network-scan.ts';
import { Services } from '../services/services.ts';
import { commandSettings } from './command-settings.ts';
import { countsText, saveScanned, scanWithStatus } from './scan.ts';
import { SettingsInFile } from './settings-in-file.ts';
import { interruptible } from './terminal.ts';

const primeTimeKey = 'config.epgselection.grid.primetime';

export interface SetupFlags {
  /** The answer to the question: `de`, `19.2E`, or both. */
  readonly place?: string;
  readonly config?: string;
  readonly dataDir?: string;
}

/**
 * Finds the front ends, asks for their place, scans, and writes the service lists and the settings of the dishes.
 * @throws ReceiverError if there is no front end, or nothing was received; Interrupted
 */
export async function setup({ place: given, ...flags }: SetupFlags): Promise<void> {
  const configuration = commandSettings(flags);
  const folder = await DataFolder.lock(configuration.dataDir);
  try {
    await setUp(configuration, given, flags);
    await printNextSteps(configuration);
  } catch (error) {
    if (!(error instanceof ReceiverError) || error.code !== 'not-receivable') throw error;
    console.error(`receiverd: ${error.message}`);
    for (const { name, host } of configuration.discovery ? await findBoxes(configuration, () => false) : [])
      console.error(`receiverd: ${name} has tuners: to use them, add enigma2:${host} to the setting tuners`);
    process.exitCode = 1;
    console.log('channels from the network need no tuner');
    await printNextSteps(configuration);
  } finally {
    folder.release();
  }
}

/** Prints what remains to be done, with a link for the first administrator if there is none yet. */
async function printNextSteps({ dataDir, ...configuration }: Configuration): Promise<void> {
  console.log(`now run: ${ownCommand('start')}`);
  const { users, tokens } = await readAccounts(accountsPath(dataDir));
  if ([...users, ...tokens].some(({ rights }) => rights.includes('admin'))) return;
  const code = newSetupCode();
  await keepSetupCode(dataDir, code);
  console.log(`then set a password at ${setupLink(configuration, configuration.tls.port, code)}`);
}

async function setUp(
  configuration: Configuration,
  given: string | undefined,
  flags: Omit<SetupFlags, 'place'>,
): Promise<void> {
  const named = given === undefined ? undefined : placeOf(given);
  const stored = await openSettings(configuration.enigma2Dir);
  const before = new Map(stored.stored);
  // Saved with the results, so that a setup that is aborted changes nothing.
  const settings = Settings.parse(settingsText(before));
  const pool = await everyTuner(settings, configuration.tuners);
  try {
    if (pool.tuners.length === 0) {
      console.log('the boxes in the setting tuners need no scan: the receiver imports their channels when it starts');
      return;
    }
    for (const { name, source, frontEnd } of pool.tuners) {
      const { name: model, systems } = frontEnd?.information ?? { name: '', systems: [] };
      const trouble = frontEnd?.trouble ?? '';
      console.log(`${name} (${source}): ${model} (${systems.join(', ')})${trouble && `: ${trouble}`}`);
    }
    const place = named ?? placeOf(await askPlace(placeText(await guessedPlace(configuration.timeZone, pool))));
    const changes = place.country === '' ? {} : await proposedSettings(place.country, settings, configuration);
    await scanPlace(place, { pool, settings, configuration });
    const changed = [...settings.stored].filter(([key, value]) => before.get(key) !== value);
    if (changed.length > 0) await stored.rewrite((latest) => new Map([...latest, ...changed]));
    await saveSettings(changes, configuration, flags);
    console.log(`the lists and settings are in ${configuration.enigma2Dir}`);
  } finally {
    await pool.close();
  }
}

/**
 * Reads the Enigma2 settings.
 * @throws ReceiverError `file-unreadable` for anything but a file, such as an endless device
 */
async function openSettings(folder: string): Promise<Settings> {
  const path = join(folder, 'settings');
  await readRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fail('file-unreadable', path, error.message);
  });
  return Settings.read(path);
}

/**
 * A pool of all front ends of this machine and of the configured tuners in the network.
 * @throws ReceiverError if it is empty, and no Enigma2 box is configured either
 */
async function everyTuner(settings: Settings, configured: readonly string[]): Promise<TunerPool> {
  const present = await findFrontEnds();
  const aerials = new Aerials(settings);
  const tuners = present.map(({ adapter, frontend }) => new Tuner({ kind: 'dvb', adapter, frontend }));
  const pool = new TunerPool(tuners, { linger: 0, aerialOf: (slot) => aerials.of(slot) });
  pool.updateFrontEnds(present);
  const troubles = await findNetworkTuners(configured, (tuner, frontEnd) => pool.add(tuner, frontEnd));
  for (const [text, why] of troubles) console.error(`receiverd: ${text}: ${why}`);
  if (pool.tuners.length === 0 && !configured.some(namesEnigma2))
    throw new ReceiverError(
      'not-receivable',
      `no front end was found: is the device plugged in, and has its driver found it (dmesg)? \`${ownCommand('doctor')}\` looks for firmware`,
    );
  return pool;
}

/** Asks where the machine is. Returns the guess if the answer is empty or standard input has ended. */
async function askPlace(guess: string): Promise<string> {
  const question = 'Where is this? A country for an aerial or a cable (de), satellites for a dish (19.2E), or both';
  const shown = guess === '' ? '' : ` [${guess}]`;
  return (await ask(`${question}${shown}: `)) || guess;
}

/** Asks a question. Returns an empty text if standard input has ended. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    return (await Promise.race([terminal.question(question), ended])).trim();
  } finally {
    terminal.close();
  }
}

/**
 * Proposes what the country suggests for settings that have their defaults. If the user agrees, changes the Enigma2
 * settings and returns changes of the configuration.
 */
async function proposedSettings(
  country: string,
  settings: Settings,
  configuration: Configuration,
): Promise<Readonly<Record<string, unknown>>> {
  const proposed = countrySettings(country, configuration.timeZone);
  const changes = {
    ...(proposed.timeZone === configuration.timeZone ? {} : { timeZone: proposed.timeZone }),
    ...(configuration.languages.length > 0 ? {} : { languages: proposed.languages }),
  };
  const hasPrimeTime = [...settings.stored].some(([key]) => key === primeTimeKey);
  const texts = [
    ...('timeZone' in changes ? [`time zone ${changes.timeZone}`] : []),
    ...('languages' in changes ? [`guide in ${proposed.languages.join(', ')}`] : []),
    ...(hasPrimeTime ? [] : [`prime time from ${proposed.primeTime}`]),
  ];
  if (texts.length === 0) return {};
  console.log(`${country} suggests: ${texts.join('; ')}`);
  if (!process.stdin.isTTY) return {};
  const answer = await ask('Use these settings? [Y/n]: ');
  if (answer !== '' && !answer.toLowerCase().startsWith('y')) return {};
  if (!hasPrimeTime) await settings.keep(primeTimeKey, proposed.primeTime);
  return changes;
}

async function saveSettings(
  changes: Readonly<Record<string, unknown>>,
  configuration: Configuration,
  { config, dataDir }: Omit<SetupFlags, 'place'>,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  const file = new SettingsInFile({
    config,
    flags: dataDir === undefined ? {} : { dataDir },
    running: () => configuration,
    reload: () => {},
  });
  await file.change(changes);
}

/** Scans for the place and saves the service lists. */
async function scanPlace(
  place: ReturnType<typeof placeOf>,
  parts: { readonly pool: TunerPool; readonly settings: Settings; readonly configuration: Configuration },
): Promise<void> {
  const { enigma2Dir, scanTables } = parts.configuration;
  const start = await prepareSetup(place, { ...parts, tableFolders: [enigma2Dir, ...scanTables] });
  const services = await Services.load(enigma2Dir);
  console.log(`scanning ${start.length} transponders for ${placeText(place)}`);
  const found = await interruptible(
    (signal) => scanWithStatus(parts.pool, start, signal),
    () => 'no list or setting was changed',
  );
  if (found.length === 0) throw fail('no-signal', `any of ${start.length} transponders`);
  console.log(`transponders: ${found.length}, ${countsText(countServices(found))}`);
  console.log(await saveScanned(found, services));
}
