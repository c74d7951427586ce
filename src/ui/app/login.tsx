/** The login dialog. It opens when the receiver answers 401, or from *Log in* in the footer. */

import { LanguageChoice } from '../shared/appearance.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { LoginForm } from '../shared/entrance.tsx';
import { session } from '../shared/login.ts';
import { FirstPassword } from '../shared/password-form.tsx';
import { loginNeeded } from '../shared/receiver.ts';
import { words } from '../shared/words.ts';

export function Login() {
  if (!loginNeeded.value) return null;
  const close = () => {
    loginNeeded.value = false;
  };
  const { rights = [], accounts = true } = session.value ?? {};
  return (
    <Dialog title={words.value.app.logIn} class="login" {...(rights.length > 0 && { onClose: close })}>
      {accounts ? <LoginForm /> : <FirstPassword onSet={() => location.reload()} />}
      <LanguageChoice />
    </Dialog>
  );
}
