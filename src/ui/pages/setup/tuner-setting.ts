/** The setting `tuners`, which the steps of setup change. */
import { serialQueue } from '../../../base/serial-queue.ts';
import type { Result } from '../../../client/client.ts';
import { attempt } from '../../shared/attempt.ts';
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
  /** Applies an edit to the receiver's current `given`, for the next start. Resolves to whether it was saved. */
  readonly save: (edited: (given: readonly string[]) => readonly string[]) => Promise<boolean>;
}

/** Whether a specification names a tuner other than the demo. */
export const isChosen = (spec: string) => !/^(none|demo)/.test(spec);

type Settings = Result<'get', '/api/configuration'>['settings'];

const tunersIn = (settings: Settings) => settings.find(({ name }) => name === 'tuners');

/** Edits are saved one after the other. */
const inTurn = serialQueue();

/** Undefined until it is loaded. */
export function useTunerSetting(): TunerSetting | undefined {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/configuration', {}, { signal }),
    [],
    ['standby'],
  );
  const setting = value && tunersIn(value.settings);
  if (setting === undefined) return undefined;
  const all: readonly string[] = JSON.parse(setting.value);
  const given = all.filter(isChosen);
  const running: readonly string[] = JSON.parse(setting.running);
  const save: TunerSetting['save'] = async (edited) => {
    const isSaved = await inTurn(async () => {
      const current = await attempt(() => receiver.get('/api/configuration'));
      const specs: readonly string[] = JSON.parse((current && tunersIn(current.settings)?.value) ?? '[]');
      return current !== undefined && saveForRestart({ tuners: edited(specs.filter(isChosen)) });
    });
    await reload();
    return isSaved;
  };
  return { given, isOff: all.length > 0 && given.length === 0, isFixed: setting.fixed !== '', running, save };
}
