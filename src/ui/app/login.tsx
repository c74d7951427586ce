/** Asks who is there, once the receiver wants to know. The page begins anew once somebody has logged in. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { loginTrouble } from '../shared/login.ts';
import { loginNeeded, receiver } from '../shared/receiver.ts';
import { words } from '../shared/words.ts';
import { LanguageChoice } from './foot.tsx';

export function Login() {
  const [trouble, setTrouble] = useState('');
  const { app } = words.value;
  if (!loginNeeded.value) return null;
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
    <Dialog title={app.logIn} class="login">
      <form onSubmit={(event) => void send(event)}>
        <label>
          {app.user}
          <input name="user" required autocapitalize="off" autocomplete="username" />
        </label>
        <label>
          {app.password}
          <input name="password" required type="password" autocomplete="current-password" />
        </label>
        <p class="trouble" role="alert">
          {trouble}
        </p>
        <button type="submit" class="button strong">
          {app.logIn}
        </button>
      </form>
      <LanguageChoice />
    </Dialog>
  );
}
