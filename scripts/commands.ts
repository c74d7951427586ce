/** The commands of the command line, each with what may follow it, for man pages and completions. */
import type { Argument, Command, Option } from 'commander';
import { commandLine } from '../src/program/command-line.ts';

export interface ListedCommand {
  /** Its words: `['epg', 'import']`; none for `receiverd` itself. */
  readonly path: readonly string[];
  readonly about: string;
  readonly options: readonly Option[];
  readonly values: readonly Argument[];
  /** The names and descriptions of the commands that may follow. */
  readonly next: readonly (readonly [name: string, about: string])[];
}

/** Every command after the one it belongs to. */
export const commands: readonly ListedCommand[] = listed(commandLine, []);

function listed(command: Command, path: readonly string[]): ListedCommand[] {
  const own: ListedCommand = {
    path,
    about: command.description(),
    options: command.createHelp().visibleOptions(command),
    values: command.registeredArguments,
    next: command.commands.map((below) => [below.name(), below.description()]),
  };
  return [own, ...command.commands.flatMap((below) => listed(below, [...path, below.name()]))];
}

/** Whether a value is a file or folder: the shell completes it. */
export function isPath(value: Option | Argument): boolean {
  return /[<[](?:file|dir|list)[\].>]/.test('flags' in value ? value.flags : `<${value.name()}>`);
}

/** Whether something has to follow the option. */
export function needsValue(option: Option): boolean {
  return option.required;
}
