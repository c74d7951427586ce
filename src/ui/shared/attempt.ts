/** Runs what a person has asked for, and says what came of it. */
import { signal } from '@preact/signals';
import { Refused, Unreachable } from '../../client/client.ts';
import { loginNeeded } from './receiver.ts';
import { go } from './route.ts';
import { words } from './words.ts';

export interface Toast {
  readonly text: string;
  /** What can be done about it, for as long as it is shown. */
  readonly action?: { readonly label: string; readonly run: () => unknown } | undefined;
}

export const toast = signal<Toast>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something briefly, in place of what was said before; longer if something can be done about it. */
export function say(text: string, action?: Toast['action']): void {
  clearTimeout(timer);
  toast.value = { text, action };
  timer = setTimeout(
    () => {
      toast.value = undefined;
    },
    action ? 10_000 : 5_000,
  );
}

export function unsay(): void {
  toast.value = undefined;
}

/** Takes note of why a request has failed. Returns what to tell, empty if it is told elsewhere or was given up. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refused && error.status === 401) {
    loginNeeded.value = true;
    return '';
  }
  if (isConflict(error)) return conflictText(error);
  if (error instanceof Refused && error.code === 'right-missing') return words.peek().app.noPermission;
  if (error instanceof Refused && error.status === 429) return words.peek().app.tooManyAttempts;
  if (error instanceof Refused) return error.message;
  if (!(error instanceof Unreachable) && (error as Error)?.name !== 'AbortError') console.error(error);
  return '';
}

/** Why a request of the person has failed; empty if the page shows that elsewhere. */
export const troubleOf = (error: unknown): string =>
  error instanceof Unreachable ? words.peek().app.noAnswer : reasonOf(error);

/** Runs it; says why it was refused. Returns what it returned, undefined if it failed. */
export async function attempt<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run();
  } catch (error) {
    const reason = troubleOf(error);
    const way = isConflict(error) ? { label: words.peek().app.timers, run: () => go('timers') } : undefined;
    if (reason) say(reason, way);
    return undefined;
  }
}

const isConflict = (error: unknown): error is Refused => error instanceof Refused && error.code === 'timer-conflict';

/** Names the timers in the way; the first one is that which was refused. Operations and REST spell them differently. */
function conflictText({ answer }: Refused): string {
  const { conflicts = [] } = answer as { readonly conflicts?: readonly { name?: string; title?: string }[] };
  const rivals = conflicts.slice(1).map(({ name, title }) => name ?? title);
  return [words.peek().timers.conflicts, rivals.join(', ')].filter(Boolean).join(': ');
}
