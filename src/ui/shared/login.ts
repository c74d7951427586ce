/** Who is logged in, and what they may do. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Refused, type Result } from '../../client/client.ts';
import { troubleOf } from './attempt.ts';
import { loginNeeded, receiver } from './receiver.ts';
import { useAnswer } from './use-answer.ts';
import { words } from './words.ts';

type Login = Result<'get', '/login'>;
export type Permission = Login['rights'][number];

export const permissions: readonly Permission[] = ['view', 'control', 'record', 'admin'];

/** Who is logged in; undefined as long as that is not known. */
export const session = signal<Login>();

/** What whoever uses the page may not do; nothing as long as that is not known. */
export const lacking = signal<ReadonlySet<Permission>>(new Set());

/** Hides what somebody may not do: elements that name the permission they need in `data-needs` (base.css). */
export function useLogin(): Login | undefined {
  const { value } = useAnswer((signal) => receiver.get('/login', {}, { signal }), [loginNeeded.value]);
  useEffect(() => {
    if (value === undefined) return;
    session.value = value;
    const may = (permission: Permission) => value.rights.includes('admin') || value.rights.includes(permission);
    lacking.value = new Set(permissions.filter((one) => !may(one)));
    document.documentElement.dataset.lacks = [...lacking.value].join(' ');
  }, [value]);
  return value;
}

/** Why a user and password were refused. `wrong`: what to say if they were wrong. */
export const loginTrouble = (error: unknown, wrong = words.peek().app.loginWrong): string =>
  error instanceof Refused && error.status === 401 ? wrong : troubleOf(error);
