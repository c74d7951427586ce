/** The host program of the receiver in these tests: its log, its settings file in the folder, and one finding of the doctor. */
import { SetupCode } from '../../src/access/setup-code.ts';
import { SettingsInFile } from '../../src/commands/settings-in-file.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import type { Host } from '../../src/host/host.ts';
import { LogLines } from '../../src/host/log-lines.ts';

export function openHost(folder: string): Host {
  const logLines = new LogLines();
  for (const msg of ['the guide was read', 'the receiver is ready'])
    logLines.add(JSON.stringify({ level: 30, time: 1_767_291_000_250, msg }));
  const flags = { dataDir: folder, bind: '127.0.0.1' };
  const running = loadConfiguration({ flags });
  return {
    restart: () => undefined,
    setupCode: new SetupCode('ABCD-2345'),
    logLines,
    settings: new SettingsInFile({ config: undefined, flags, running: () => running, reload: () => undefined }),
    examine: async () => [
      {
        kind: 'port',
        what: 'port 8080 for the web interface',
        trouble: 'address already in use',
        remedy: 'stop the program that uses it',
      },
    ],
  };
}
