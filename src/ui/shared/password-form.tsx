/** The form that sets a password: of the first user, or a new one for the logged-in user. Logs the user in. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showToast } from './attempt.ts';
import { withEventsPaused } from './live.ts';
import { loginTrouble, missingRights } from './login.ts';
import { receiver } from './receiver.ts';
import { route } from './route.ts';
import { words } from './words.ts';

interface PasswordFormProps {
  /** The user whose password is changed; undefined if there is no user yet. */
  readonly user?: string;
  readonly onSet?: () => void;
}

export function PasswordForm({ user: known, onSet }: PasswordFormProps) {
  const [trouble, setTrouble] = useState('');
  const { setup } = words.value;
  const form = useRef<HTMLFormElement>(null);
  // Focus the first empty field, because a link fills in the code. In a layout effect: before the user can type elsewhere.
  useLayoutEffect(() => {
    const fields = [...(form.current?.querySelectorAll<HTMLInputElement>('input:not([name=user])') ?? [])];
    fields.find(({ value }) => value === '')?.focus();
  }, []);
  // Clients on the receiver's own machine need no code.
  const needsCode = !known && missingRights.value.has('admin');
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const [code = '', user = '', before = '', password = '', again] = [
      'code',
      'user',
      'before',
      'password',
      'again',
    ].map((name) => String(given.get(name) ?? ''));
    if (password !== again) return setTrouble(setup.passwordMismatch);
    setTrouble('');
    try {
      if (known)
        await withEventsPaused(() => receiver.put('/login', { user, password: before, new_password: password }));
      else if (needsCode) await receiver.post('/administrator', { code, user, password });
      else {
        await receiver.put('/accounts/{kind}/{name}', { kind: 'user', name: user, password });
        await receiver.post('/login', { user, password });
      }
    } catch (error) {
      return setTrouble(loginTrouble(error, needsCode ? setup.codeWrong : known && setup.currentPasswordWrong));
    }
    form.current?.reset();
    showToast(known ? setup.passwordChanged : setup.passwordSet(user));
    onSet?.();
  };
  return (
    <form ref={form} class="fields" onSubmit={(event) => void set(event)}>
      {needsCode && (
        <label class="wide">
          {setup.code}
          <input
            name="code"
            required
            defaultValue={route.value.query.code}
            autocapitalize="characters"
            autocomplete="one-time-code"
            spellcheck={false}
          />
          <small>{setup.codeAbout}</small>
        </label>
      )}
      <label class="wide">
        {setup.user}
        <input
          name="user"
          required
          maxLength={32}
          defaultValue={known ?? 'admin'}
          readOnly={known !== undefined}
          autocapitalize="off"
          autocomplete="username"
        />
      </label>
      {known && (
        <label class="wide">
          {setup.currentPassword}
          <input name="before" type="password" required autocomplete="current-password" />
        </label>
      )}
      <label>
        {setup.passwordField}
        <input name="password" type="password" required minLength={8} autocomplete="new-password" />
      </label>
      <label>
        {setup.repeatPassword}
        <input name="again" type="password" required minLength={8} autocomplete="new-password" />
      </label>
      <p class="trouble wide" role="alert">
        {trouble}
      </p>
      <button type="submit" class="button strong">
        {setup.setPassword}
      </button>
    </form>
  );
}

/** The form for the first administrator. */
export function FirstPassword({ onSet }: Pick<PasswordFormProps, 'onSet'>) {
  const { setup } = words.value;
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{setup.password}</h2>
      <p>{setup.passwordAbout}</p>
      <PasswordForm {...(onSet && { onSet })} />
    </section>
  );
}
