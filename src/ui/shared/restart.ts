/** The restart of receiverd, and settings that take effect after it. */
import { attempt, showToast } from './attempt.ts';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

/** Value of `newstate` in /api/powerstate. */
const restartState = 3;

export const restart = () => attempt(() => receiver.post('/api/powerstate', { newstate: restartState }));

/** Saves settings by name and offers the restart. Resolves to whether they are saved. */
export async function saveForRestart(settings: Readonly<Record<string, unknown>>): Promise<boolean> {
  const done = await attempt(() => receiver.post('/api/configuration', { changes: JSON.stringify(settings) }));
  const { remote, settings: texts } = words.peek();
  if (done) showToast(texts.savedForRestart, { label: remote.restart, run: restart });
  return done !== undefined;
}
