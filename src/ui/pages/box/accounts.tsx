/** Access control: users and tokens, their permissions, and recent activity. */
import { Pencil, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { CopyField } from '../../shared/copy-field.tsx';
import { Dialog, Question } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { type Permission, permissions } from '../../shared/login.ts';
import { FirstPassword } from '../../shared/password-form.tsx';
import { receiver } from '../../shared/receiver.ts';
import { dayOf, timeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

type Account = Result<'get', '/accounts'>['accounts'][number];

/** The open dialog: editing, adding or removing an account, or showing a new token. */
type OpenDialog =
  | { readonly edit: Account }
  | { readonly add: Account['kind'] }
  | { readonly remove: Account }
  | { readonly token: string };

export function Accounts() {
  const { value, trouble, reload } = useResponse((signal) => receiver.get('/accounts', {}, { signal }), []);
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const { accounts: texts, common } = words.value;
  const close = () => setOpenDialog(undefined);
  if (value === undefined) return trouble ? <Empty text={trouble} /> : null;
  // The reload shows the page with the permissions of the first account, which is logged in by now.
  if (value.accounts.length === 0) return <FirstPassword onSet={() => location.reload()} />;
  const remove = async ({ kind, name }: Account) => {
    const done = await attempt(() => receiver.delete('/accounts/{kind}/{name}', { kind, name }));
    close();
    if (done === undefined) return;
    // Deleting the last account ends the login.
    if (value.accounts.length === 1) return location.reload();
    showToast(texts.removed(name));
    await reload();
  };
  const admins = value.accounts.filter(({ rights: granted }) => granted.includes('admin'));
  const isNeeded = (one: Account) => admins.length === 1 && admins[0] === one && value.accounts.length > 1;
  return (
    <div>
      <ol class="list">
        {value.accounts.map((account) => (
          <li key={`${account.kind} ${account.name}`} class="account">
            <span>
              <b>{account.name}</b> <small>{texts[account.kind]}</small>
              <br />
              <small>
                {permissions
                  .filter(isHeldBy(account))
                  .map((permission) => texts[permission])
                  .join(' · ')}
              </small>
            </span>
            {account.kind === 'user' && (
              <button
                type="button"
                class="bare"
                aria-label={texts.editNamed(account.name)}
                onClick={() => setOpenDialog({ edit: account })}
              >
                <Icon of={Pencil} />
              </button>
            )}
            <button
              type="button"
              class="bare"
              aria-label={texts.removeNamed(account.name)}
              onClick={() => (isNeeded(account) ? showToast(texts.needsAdmin) : setOpenDialog({ remove: account }))}
            >
              <Icon of={Trash2} />
            </button>
          </li>
        ))}
      </ol>
      <p class="actions">
        <button type="button" class="button strong" onClick={() => setOpenDialog({ add: 'user' })}>
          <Icon of={Plus} size={16} /> {texts.addUser}
        </button>
        <button type="button" class="button" onClick={() => setOpenDialog({ add: 'token' })}>
          <Icon of={Plus} size={16} /> {texts.addToken}
        </button>
      </p>
      <section class="day" aria-labelledby="recent-clients">
        <h2 id="recent-clients" class="day-head">
          {texts.recentActivity}
        </h2>
        <ol>
          {value.visits.map(({ account, address, agent, last }) => (
            <li key={`${account} ${address} ${agent}`} class="account">
              <span>
                <b>{account}</b> <small title={agent}>{appOf(agent)}</small>
              </span>
              <small>
                {address} · {dayOf(last)}, {timeOf(last)}
              </small>
            </li>
          ))}
        </ol>
      </section>
      {openDialog && ('edit' in openDialog || 'add' in openDialog) && (
        <AccountDialog
          kind={'edit' in openDialog ? 'user' : openDialog.add}
          before={'edit' in openDialog ? openDialog.edit : undefined}
          others={value.accounts}
          isNeeded={'edit' in openDialog && isNeeded(openDialog.edit)}
          onDone={(token) => {
            setOpenDialog(token === null ? undefined : { token });
            void reload();
          }}
          onClose={close}
        />
      )}
      {openDialog && 'remove' in openDialog && (
        <Question
          title={texts.removeQuestion(openDialog.remove.name)}
          effect={value.accounts.length === 1 ? texts.removeLast : texts.removeEffect}
          action={common.delete}
          onConfirm={() => remove(openDialog.remove)}
          onClose={close}
        />
      )}
      {openDialog && 'token' in openDialog && (
        <Dialog title={texts.newToken} onClose={close}>
          <p>{texts.tokenAbout}</p>
          <CopyField label={texts.token} text={openDialog.token} />
        </Dialog>
      )}
    </div>
  );
}

/** Every account has the permission `view`. */
const isHeldBy = (account: Account) => (permission: Permission) =>
  permission === 'view' || account.rights.includes(permission);

/** Name of the app in a User-Agent. Browsers start with `Mozilla` and have their name further on. */
const appOf = (agent: string) => /(?:Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(agent)?.[0] ?? agent.split(' ', 1)[0];

interface AccountDialogProps {
  readonly kind: Account['kind'];
  readonly before: Account | undefined;
  readonly others: readonly Account[];
  /** The only administrator: its permission `admin` cannot be removed. */
  readonly isNeeded: boolean;
  /** `token`: the text of a new token, otherwise null. */
  readonly onDone: (token: string | null) => void;
  readonly onClose: () => void;
}

function AccountDialog({ kind, before, others, isNeeded, onDone, onClose }: AccountDialogProps) {
  const [trouble, setTrouble] = useState('');
  const { accounts: texts, setup, common } = words.value;
  const granted = before?.rights ?? ['control', 'record'];
  // These permissions cannot be removed. Their fields are disabled, so the form does not contain them.
  const isFixed = (permission: Permission) => permission === 'view' || (permission === 'admin' && isNeeded);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const name = before?.name ?? String(given.get('name'));
    const password = String(given.get('password') ?? '');
    // PUT with an existing name would change that account.
    if (!before && others.some((one) => one.kind === kind && one.name === name)) return setTrouble(texts.taken(name));
    const chosen = permissions.filter((permission) => isFixed(permission) || given.has(permission));
    const done = await attempt(() =>
      receiver.put('/accounts/{kind}/{name}', { kind, name, rights: chosen, ...(password && { password }) }),
    );
    if (done) onDone(done.token);
  };
  return (
    <Dialog title={before ? before.name : kind === 'user' ? texts.addUser : texts.addToken} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        {!before && (
          <label>
            {kind === 'user' ? setup.user : texts.tokenName}
            <input name="name" required maxLength={32} autocapitalize="off" autocomplete="off" />
          </label>
        )}
        {kind === 'user' && (
          <label>
            {before ? texts.newPassword : setup.passwordField}
            <input name="password" type="password" required={!before} minLength={8} autocomplete="new-password" />
          </label>
        )}
        {permissions.map((permission) => (
          <label key={permission} class="choice">
            <input
              type="checkbox"
              name={permission}
              defaultChecked={isFixed(permission) || granted.includes(permission)}
              disabled={isFixed(permission)}
            />{' '}
            {texts[permission]}
          </label>
        ))}
        <p class="trouble" role="alert">
          {trouble}
        </p>
        <button type="submit" class="button strong">
          {common.save}
        </button>
      </form>
    </Dialog>
  );
}
