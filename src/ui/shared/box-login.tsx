/** The form for the login of an Enigma2 box that is used as a tuner. */
import { useState } from 'preact/hooks';
import { Refused } from '../../client/client.ts';
import { showToast, troubleOf } from './attempt.ts';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

/** `source`: as in the setting tuners. */
export function BoxLogin({ source, onDone }: { readonly source: string; readonly onDone: () => Promise<void> }) {
  const [trouble, setTrouble] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { app, box, setup } = words.value;
  const logIn = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const [user = '', password = ''] = ['user', 'password'].map((name) => String(given.get(name)));
    setTrouble('');
    setBusy(true);
    try {
      const { problem } = await receiver.post('/api/enigma2login', { source, user, password });
      showToast(problem ?? box.loggedIn);
      await onDone();
    } catch (error) {
      const isWrong = error instanceof Refused && error.code === 'box-login-refused';
      setTrouble(isWrong ? app.loginWrong : troubleOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="fields" data-needs="admin" aria-busy={isBusy} onSubmit={(event) => void logIn(event)}>
      <label>
        {setup.user}
        <input
          name="user"
          required
          maxLength={200}
          defaultValue="root"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <label>
        {setup.password}
        <input name="password" type="password" maxLength={200} autocomplete="new-password" />
      </label>
      <p class="trouble wide" role="alert">
        {trouble}
      </p>
      <button type="submit" class="button" disabled={isBusy}>
        {app.logIn}
      </button>
    </form>
  );
}
