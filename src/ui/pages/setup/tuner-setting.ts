/** The setting `tuners`, which the steps of setup change. */
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

/** Value of `newstate` in /api/powerstate that restarts receiverd. */
const restartState = 3;

export interface TunerSetting {
  /** Specifications without `demo` and `none`. Empty: the front ends of the machine, unless `isOff`. */
  readonly given: readonly string[];
  /** Whether the setting names no tuner but the demo, or none. */
  readonly isOff: boolean;
  /** Given by a flag or an environment variable: only the command that starts the receiver can change it. */
  readonly isFixed: boolean;
  /** Saves it for the next start. Resolves to whether it was saved. */
  readonly save: (specs: readonly string[]) => Promise<boolean>;
}

/** Undefined until it is loaded. */
export function useTunerSetting(): TunerSetting | undefined {
  const { value, reload } = useAnswer((signal) => receiver.get('/api/configuration', {}, { signal }), [], ['standby']);
  const setting = value?.settings.find(({ name }) => name === 'tuners');
  if (setting === undefined) return undefined;
  const all: readonly string[] = JSON.parse(setting.value);
  const given = all.filter((spec) => !/^(none|demo)/.test(spec));
  const save = async (specs: readonly string[]) => {
    const changes = JSON.stringify({ tuners: specs });
    const done = await attempt(() => receiver.post('/api/configuration', { changes }));
    await reload();
    const { remote, settings } = words.peek();
    const run = () => attempt(() => receiver.post('/api/powerstate', { newstate: restartState }));
    if (done) showToast(settings.savedForRestart, { label: remote.restart, run });
    return done !== undefined;
  };
  return { given, isOff: all.length > 0 && given.length === 0, isFixed: setting.fixed !== '', save };
}
