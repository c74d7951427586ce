/** The footer of every page: playlist, API, language, colours, and the logged-in user. */
import { useState } from 'preact/hooks';
import { LanguageChoice, ThemeChoice } from '../shared/appearance.tsx';
import { attempt } from '../shared/attempt.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useLogin } from '../shared/login.ts';
import { PasswordForm } from '../shared/password-form.tsx';
import { loginNeeded, receiver } from '../shared/receiver.ts';
import { href } from '../shared/route.ts';
import { words } from '../shared/words.ts';

export function Foot({ release }: { readonly release: string }) {
  const login = useLogin();
  const [asksPassword, setAsksPassword] = useState(false);
  const { app, setup } = words.value;
  const close = () => setAsksPassword(false);
  const logIn = () => {
    loginNeeded.value = true;
  };
  const logOut = async () => {
    await attempt(() => receiver.delete('/login'));
    // The service worker cached responses for this user only.
    for (const name of (await self.caches?.keys()) ?? []) await caches.delete(name);
    location.reload();
  };
  return (
    <>
      <footer class="bottom">
        <a href={receiver.address('/web/services.m3u', { unique: 1 })}>{app.playlistOfAll}</a>
        <a href={href('connect')}>{app.connect}</a>
        <a href={href('api')}>{app.api}</a>
        <LanguageChoice />
        <ThemeChoice />
        {login?.user && (
          <span>
            {login.user}{' '}
            <button type="button" class="plain" onClick={() => setAsksPassword(true)}>
              {setup.changePassword}
            </button>{' '}
            <button type="button" class="plain" onClick={() => void logOut()}>
              {app.logOut}
            </button>
          </span>
        )}
        {login?.administrator === false && <a href={href('setup', { step: 'password' })}>{setup.setPassword}</a>}
        {login && !login.user && login.accounts && (
          <button type="button" class="plain" onClick={logIn}>
            {app.logIn}
          </button>
        )}
        <span>receiverd {release}</span>
      </footer>
      {asksPassword && login?.user && (
        <Dialog title={setup.changePassword} onClose={close}>
          <PasswordForm user={login.user} onSet={close} />
        </Dialog>
      )}
    </>
  );
}
