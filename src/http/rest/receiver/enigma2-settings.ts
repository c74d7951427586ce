/** Lists and changes the user's settings in the Enigma2 folder, in the same form as those of the configuration. */
import { fail } from '../../../base/errors.ts';
import { describedSetting, problemsOf } from '../../../config/configuration-check.ts';
import { chosenSettings } from '../../../config/enigma2-setting-keys.ts';
import type { Settings } from '../../../config/enigma2-settings.ts';
import type { ListedSetting } from '../../../host/host.ts';

export function listEnigma2Settings(settings: Settings): readonly ListedSetting[] {
  const stored = new Map(settings.stored);
  return Object.entries(chosenSettings).map(([name, schema]) => {
    const value = settings.value(name);
    return {
      ...describedSetting(name, schema),
      ...{ value, running: value },
      source: stored.has(name) ? 'file' : 'default',
      guard: '',
      ...{ isSecret: false, needsRestart: false, isPending: false },
    };
  });
}

type Changes = Readonly<Record<string, unknown>>;

/**
 * Separates the changes of Enigma2 settings from the `others`, and checks them. `write` stores them.
 * @throws ReceiverError `setting-invalid`; `write`: `file-unwritable`
 */
export function enigma2Changes(changes: Changes): {
  readonly others: Changes;
  write(settings: Settings): Promise<void>;
} {
  const isEnigma2Setting = (name: string) => Object.hasOwn(chosenSettings, name);
  const all = Object.entries(changes);
  const values = all
    .filter(([name]) => isEnigma2Setting(name))
    .map(([name, value]) => [name, value ?? chosenSettings[name]?.default] as const);
  const problems = problemsOf({ properties: chosenSettings }, Object.fromEntries(values));
  if (problems.length > 0)
    throw fail('setting-invalid', problems.map(({ path, text }) => `${path} ${text}`).join('\n'));
  return {
    others: Object.fromEntries(all.filter(([name]) => !isEnigma2Setting(name))),
    async write(settings) {
      for (const [name, value] of values) await settings.change(name, String(value));
    },
  };
}
