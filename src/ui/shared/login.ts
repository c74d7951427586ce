/** Who is logged in, and what they may do. */
import { useEffect } from 'preact/hooks';
import type { Result } from '../../client/client.ts';
import { receiver } from './receiver.ts';
import { useAnswer } from './use-answer.ts';

type Login = Result<'get', '/login'>;
export type Right = Login['rights'][number];

export const rights: readonly Right[] = ['view', 'control', 'record', 'admin'];

/** Hides what somebody may not do: elements that name the right they need in `data-needs` (base.css). */
export function useLogin(): Login | undefined {
  const { value } = useAnswer((signal) => receiver.get('/login', {}, { signal }), []);
  useEffect(() => {
    if (value === undefined) return;
    const may = (right: Right) => value.rights.includes('admin') || value.rights.includes(right);
    document.documentElement.dataset.lacks = rights.filter((right) => !may(right)).join(' ');
  }, [value]);
  return value;
}
