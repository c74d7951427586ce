/** Runs user actions, and reports their errors in a toast. */
import { signal } from '@preact/signals';
import { Refused, Unreachable } from '../../client/client.ts';
import { loginNeeded } from './receiver.ts';
import { href } from './route.ts';
import { words } from './words.ts';

export interface Toast {
  readonly text: string;
  /** A button or a link in the toast. */
  readonly action?:
    | { readonly label: string; readonly run: () => unknown }
    | { readonly label: string; readonly href: string }
    | undefined;
}

export const toast = signal<Toast>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a toast in place of the previous one: for 5 seconds, or for 10 with an action. */
export function showToast(text: string, action?: Toast['action']): void {
  toast.value = { text, action };
  hideToastLater();
}

export function hideToast(): void {
  toast.value = undefined;
}

/** Hides the toast when its time is over, counted from now. */
export function hideToastLater(): void {
  keepToast();
  timer = setTimeout(hideToast, toast.value?.action ? 10_000 : 5_000);
}

/** Keeps the toast until `hideToastLater` is called: for users who are about to press its button. */
export function keepToast(): void {
  clearTimeout(timer);
}

/**
 * The message for a failed request; empty if the page shows the error elsewhere or the request was aborted. Opens the login
 * dialog for a 401.
 */
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

/** Like `reasonOf`, but with a message for a receiver that does not respond. For actions of the user. */
export const troubleOf = (error: unknown): string =>
  error instanceof Unreachable ? words.peek().app.noAnswer : reasonOf(error);

/** Runs an action and shows a toast if it fails. Returns its result; undefined if it failed. */
export async function attempt<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run();
  } catch (error) {
    const reason = troubleOf(error);
    const action = isConflict(error) ? { label: words.peek().app.timers, href: href('timers') } : undefined;
    if (reason) showToast(reason, action);
    return undefined;
  }
}

const isConflict = (error: unknown): error is Refused => error instanceof Refused && error.code === 'timer-conflict';

/** Names the conflicting timers. The first entry is the refused timer. Operations call the title `name`, REST `title`. */
function conflictText({ answer }: Refused): string {
  const { conflicts = [] } = answer as { readonly conflicts?: readonly { name?: string; title?: string }[] };
  const rivals = conflicts.slice(1).map(({ name, title }) => name ?? title);
  return [words.peek().timers.conflicts, rivals.join(', ')].filter(Boolean).join(': ');
}
