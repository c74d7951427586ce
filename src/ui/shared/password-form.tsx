/** The first user and the password; whoever sets it is logged in. */
import { useState } from 'preact/hooks';
import { attempt, say } from './attempt.ts';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

interface PasswordFormProps {
  readonly onSet?: () => void;
}

export function PasswordForm({ onSet }: PasswordFormProps) {
  const [trouble, setTrouble] = useState('');
  const { setup } = words.value;
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const [user, password, again] = ['user', 'password', 'again'].map((name) => String(given.get(name)));
    setTrouble(password === again ? '' : setup.notTheSame);
    if (user === undefined || password === undefined || password !== again) return;
    const done = await attempt(async () => {
      await receiver.put('/accounts/{kind}/{name}', { kind: 'user', name: user, password });
      return receiver.post('/login', { user, password });
    });
    if (done === undefined) return;
    form.reset();
    say(setup.passwordSet(user));
    onSet?.();
  };
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{setup.password}</h2>
      <p>{setup.passwordAbout}</p>
      <form class="fields" onSubmit={(event) => void set(event)}>
        <label class="wide">
          {setup.user}
          <input name="user" required maxLength={32} autocapitalize="off" autocomplete="username" />
        </label>
        <label>
          {setup.passwordField}
          <input name="password" type="password" required minLength={8} autocomplete="new-password" />
        </label>
        <label>
          {setup.again}
          <input name="again" type="password" required minLength={8} autocomplete="new-password" />
        </label>
        <p class="trouble wide" role="alert">
          {trouble}
        </p>
        <button type="submit" class="button strong">
          {setup.setPassword}
        </button>
      </form>
    </section>
  );
}
