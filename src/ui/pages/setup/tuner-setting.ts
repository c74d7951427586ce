/** The setting `tuners`, which the steps of setup change. */
import { receiver } from '../../shared/receiver.ts';
import { saveForRestart } from '../../shared/restart.ts';
import { useResponse } from '../../shared/use-response.ts';

export interface TunerSetting {
  /** Specifications without `demo` and `none`. Empty: the front ends of the machine, unless `isOff`. */
  readonly given: readonly string[];
  /** Whether the setting names no tuner but the demo, or none. */
  readonly isOff: boolean;
  /** Given by a flag or an environment variable: only the command that starts the receiver can change it. */
  readonly isFixed: boolean;
  /** What the running receiver uses. */
  readonly running: readonly string[];
  /** Saves it for the next start. Resolves to whether it was saved. */
  readonly save: (specs: readonly string[]) => Promise<boolean>;
}

/** Whether a specification names a tuner other than the demo. */
export const isChosen = (spec: string) => !/^(none|demo)/.test(spec);

/** Undefined until it is loaded. */
export function useTunerSetting(): TunerSetting | undefined {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/configuration', {}, { signal }),
    [],
    ['standby'],
  );
  const setting = value?.settings.find(({ name }) => name === 'tuners');
  if (setting === undefined) return undefined;
  const all: readonly string[] = JSON.parse(setting.value);
  const given = all.filter(isChosen);
  const running: readonly string[] = JSON.parse(setting.running);
  const save = async (specs: readonly string[]) => {
    const isSaved = await saveForRestart({ tuners: specs });
    await reload();
    return isSaved;
  };
  return { given, isOff: all.length > 0 && given.length === 0, isFixed: setting.fixed !== '', running, save };
}
