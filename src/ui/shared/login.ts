/** The session: the logged-in user and the permissions of this client. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Refused, type Result } from '../../client/client.ts';
import { troubleOf } from './attempt.ts';
import { loginNeeded, receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';
import { words } from './words.ts';

type Login = Result<'get', '/login'>;
export type Permission = Login['rights'][number];

export const permissions: readonly Permission[] = ['view', 'control', 'record', 'admin'];

/** Undefined until the first response. */
export const session = signal<Login>();

/** Permissions that this client lacks; empty until the session is known. */
export const missingRights = signal<ReadonlySet<Permission>>(new Set());

/** Loads the session, and hides elements whose permission in `data-needs` this client lacks (base.css). */
export function useLogin(): Login | undefined {
  const { value } = useResponse(
    (signal) => receiver.get('/login', {}, { signal, priority: 'low' }),
    [loginNeeded.value],
  );
  useEffect(() => {
    if (value === undefined) return;
    session.value = value;
    const isGranted = (permission: Permission) => value.rights.includes('admin') || value.rights.includes(permission);
    missingRights.value = new Set(permissions.filter((permission) => !isGranted(permission)));
    document.documentElement.dataset.lacks = [...missingRights.value].join(' ');
  }, [value]);
  return value;
}

/** The message for a refused password. `wrong`: the message for 401. */
export const loginTrouble = (error: unknown, wrong = words.peek().app.loginWrong): string =>
  error instanceof Refused && error.status === 401 ? wrong : troubleOf(error);
