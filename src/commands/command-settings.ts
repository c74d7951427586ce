/** Loads the settings for a command. */
import { type Configuration, loadConfiguration } from '../config/config.ts';

interface CommandFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

/**
 * Loads the settings. `warn` is called with problems that do not prevent loading; by default they are printed.
 * @throws ReceiverError `configuration-invalid`
 */
export function commandSettings(
  { config, dataDir }: CommandFlags,
  warn = (problem: string) => console.error(`receiverd: ${problem}`),
): Configuration {
  return loadConfiguration({ file: config, flags: dataDir === undefined ? {} : { dataDir }, warn });
}
