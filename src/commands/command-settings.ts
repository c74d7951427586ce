/** The settings that a command works with. */
import { type Configuration, loadConfiguration } from '../config/config.ts';

interface CommandFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

/**
 * Reads them. `warn` receives what is wrong although there are settings to work with; by default, it is printed.
 * @throws ReceiverError `configuration-invalid`
 */
export function commandSettings(
  { config, dataDir }: CommandFlags,
  warn = (problem: string) => console.error(`receiverd: ${problem}`),
): Configuration {
  return loadConfiguration({ file: config, flags: dataDir === undefined ? {} : { dataDir }, warn });
}
