/**
 * What the program around the receiver provides for the interfaces: its log, its settings, and the doctor. A receiver
 * that is embedded in another program works without it.
 */
import type { SetupCode } from '../access/setup-code.ts';
import type { SettingKind } from '../config/configuration-check.ts';
import type { Login } from '../enigma2/box.ts';
import type { LogLines } from './log-lines.ts';

export interface Host {
  /** Stops the receiver and starts a new one with the configuration reread. Returns at once. */
  restart(): void;
  /** See src/access/setup-code.ts. */
  readonly setupCode: SetupCode;
  readonly logLines: Pick<LogLines, 'after'>;
  readonly settings: SettingsEditor;
  /** What works on this machine, what does not, and how to fix it. */
  examine(): Promise<readonly Finding[]>;
}

/** The result of one check of the doctor. */
export interface Finding {
  readonly kind: FindingKind;
  /** What was checked. */
  readonly what: string;
  /** What is wrong; empty if it works. */
  readonly trouble: string;
  /** How to fix it. */
  readonly remedy: string;
}

export const findingKinds = [
  'node',
  'addon',
  'settings',
  'folder',
  'lists',
  'guide',
  'tuner',
  'channels',
  'firmware',
  'port',
  'output',
  'command',
  'alarm',
  'keys',
] as const;
type FindingKind = (typeof findingKinds)[number];

/** Lists the settings of the receiver and changes them in their file. */
export interface SettingsEditor {
  /** The path of the file that is changed. */
  readonly file: string;
  /** All settings, in the order of the schema. @throws ReceiverError `configuration-invalid` if the file is invalid */
  list(): readonly ListedSetting[];
  /**
   * Checks and writes changed settings, given by name; null resets one to its default. Returns the names of those that
   * take effect after a restart.
   * @throws ReceiverError `setting-unknown`, `setting-refused`, `setting-invalid`, `file-unwritable`
   */
  change(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /**
   * Stores the login of an Enigma2 box that the setting `tuners` contains as `tuner`, unless `check` rejects. It takes
   * effect at once. @throws ReceiverError `setting-refused` before `check` is called; `setting-invalid`, `file-unwritable`
   */
  setBoxLogin(tuner: string, login: Login, check: () => Promise<void>): Promise<void>;
}

export const settingSources = ['default', 'file', 'environment', 'flag'] as const;

export interface ListedSetting {
  /** Such as `guide.history`. */
  readonly name: string;
  readonly meaning: string;
  readonly kind: SettingKind;
  /** What is allowed, in words. */
  readonly allowed: string;
  readonly words: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly default: unknown;
  /** Undefined if it is a secret. */
  readonly value: unknown;
  readonly isSecret: boolean;
  readonly source: (typeof settingSources)[number];
  /** Why it cannot be changed over the network; empty if it can. */
  readonly guard: string;
  /** Changes take effect after a restart. */
  readonly needsRestart: boolean;
  /** The file has another value than the running receiver. */
  readonly isPending: boolean;
  /** The value that the running receiver uses; undefined if it is a secret. */
  readonly running: unknown;
}
