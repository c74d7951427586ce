/** Asks who is there, once the receiver wants to know, and says who it is. */
import { element, setText } from './elements.js';
import { ask } from './receiver.js';

/** Shows the form, unless it is open already. The page begins anew once somebody has logged in. */
export function showLogin() {
  const dialog = document.getElementById('login');
  if (dialog.open) return;
  const trouble = element('p', { class: 'trouble', role: 'alert' });
  const input = (label, attributes) =>
    element('label', {}, label, element('input', { required: true, autocapitalize: 'off', ...attributes }));
  const form = element(
    'form',
    { method: 'dialog', onsubmit: (event) => void send(event, trouble) },
    element('h1', { id: 'login-title' }, 'Log in'),
    input('User', { name: 'user', autocomplete: 'username', autofocus: true }),
    input('Password', { name: 'password', type: 'password', autocomplete: 'current-password' }),
    trouble,
    element('button', { class: 'button' }, 'Log in'),
  );
  dialog.replaceChildren(form);
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  dialog.showModal();
}

async function send(event, trouble) {
  event.preventDefault();
  const { user, password } = event.target.elements;
  setText(trouble, '');
  try {
    await ask('/login', {}, { method: 'POST', body: { user: user.value, password: password.value } });
    location.reload();
  } catch (error) {
    setText(trouble, error.message);
    password.select();
  }
}

/** Shows who is logged in, with a way out. */
export async function showUser(where) {
  const { user } = await ask('/login');
  where.hidden = user === null;
  if (user === null) return;
  const leave = async () => {
    await ask('/login', {}, { method: 'DELETE' });
    location.reload();
  };
  where.replaceChildren(
    `${user} `,
    element('button', { type: 'button', class: 'plain', onclick: () => void leave() }, 'Log out'),
  );
}
