/** Commands of this program in messages, with the flags without which they would work on another data folder. */
import { resolve } from 'node:path';

/** The sources of the settings that the running command was given. */
export interface CommandSources {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
}

let flags = '';
let hasClients = false;

/** Sets the flags for all later messages. Called once, before the command runs. `serves`: it is `start`. */
export function setCommandFlags({ config, dataDir }: CommandSources, { serves }: { readonly serves: boolean }): void {
  hasClients = serves;
  const given = [
    ['--config', config],
    ['--data-dir', dataDir],
  ] as const;
  // Absolute, because the user may be in another folder when reading the message.
  flags = given.map(([name, path]) => (path ? ` ${name} ${quoted(resolve(path))}` : '')).join('');
}

/** The command line to type, such as `receiverd doctor --data-dir /mnt/tv`. */
export const ownCommand = (command: string): string => `receiverd ${command}${flags}`;

/** Like `ownCommand`, for errors. While the process has clients, which receive them, without paths of this machine. */
export const ownCommandInError = (command: string): string =>
  hasClients ? `receiverd ${command}` : ownCommand(command);

const quoted = (path: string) => (/^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
