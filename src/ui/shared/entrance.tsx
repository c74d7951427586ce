/**
 * Replaces a page that the client may not use. Asks for a login, or for the first password while there is no administrator;
 * the page reloads afterwards. Logged-in users read that their account lacks the permission.
 */
import { useState } from 'preact/hooks';
import { Empty } from './empty.tsx';
import { loginTrouble, session } from './login.ts';
import { FirstPassword } from './password-form.tsx';
import { receiver } from './receiver.ts';
import { route } from './route.ts';
import { words } from './words.ts';

export function Entrance() {
  const { user, administrator = true, accounts = true } = session.value ?? {};
  if (user) return <Empty text={words.value.app.noPermission} />;
  const isFirst = !administrator && (!accounts || route.value.query.code !== undefined);
  if (isFirst) return <FirstPassword onSet={() => location.reload()} />;
  return (
    <section class="card" aria-label={words.value.app.logIn}>
      <p>{words.value.app.needsLogin}</p>
      <LoginForm />
    </section>
  );
}

export function LoginForm() {
  const [trouble, setTrouble] = useState('');
  const { app } = words.value;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    setTrouble('');
    try {
      await receiver.post('/login', { user: String(given.get('user')), password: String(given.get('password')) });
      location.reload();
    } catch (error) {
      setTrouble(loginTrouble(error));
    }
  };
  return (
    <form class="fields" onSubmit={(event) => void send(event)}>
      <label>
        {app.user}
        <input name="user" required autocapitalize="off" autocomplete="username" />
      </label>
      <label>
        {app.password}
        <input name="password" required type="password" autocomplete="current-password" />
      </label>
      <p class="trouble wide" role="alert">
        {trouble}
      </p>
      <button type="submit" class="button strong">
        {app.logIn}
      </button>
    </form>
  );
}
