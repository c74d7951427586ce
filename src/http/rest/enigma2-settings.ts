/** The settings of the Enigma2 folder that people choose, listed and changed like those of the configuration. */

import { fail } from '../../base/errors.ts';
import { describedSetting, problemsOf } from '../../config/configuration-check.ts';
import { chosenSettings } from '../../config/enigma2-setting-keys.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import type { ListedSetting } from '../../host/host.ts';

export function listEnigma2Settings(settings: Settings): readonly ListedSetting[] {
  const stored = new Map(settings.stored);
  return Object.entries(chosenSettings).map(([name, schema]) => ({
    ...describedSetting(name, schema),
    value: settings.value(name),
    source: stored.has(name) ? 'file' : 'default',
    guard: '',
    ...{ isSecret: false, needsRestart: false, isPending: false },
  }));
}

type Changes = Readonly<Record<string, unknown>>;

/**
 * Takes those of the Enigma2 folder out of some changes, checks them, and returns how to write them.
 * @throws ReceiverError `setting-invalid`; the writing: `file-unwritable`
 */
export function enigma2Changes(changes: Changes): {
  readonly others: Changes;
  write(settings: Settings): Promise<void>;
} {
  const isOurs = (name: string) => Object.hasOwn(chosenSettings, name);
  const all = Object.entries(changes);
  const values = all
    .filter(([name]) => isOurs(name))
    .map(([name, value]) => [name, value ?? chosenSettings[name]?.default] as const);
  const problems = problemsOf({ properties: chosenSettings }, Object.fromEntries(values));
  if (problems.length > 0)
    throw fail('setting-invalid', problems.map(({ path, text }) => `${path} ${text}`).join('\n'));
  return {
    others: Object.fromEntries(all.filter(([name]) => !isOurs(name))),
    async write(settings) {
      for (const [name, value] of values) await settings.change(name, String(value));
    },
  };
}
