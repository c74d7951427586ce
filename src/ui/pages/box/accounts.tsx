/** Who may in: users and tokens, what they may do, and new ones. */
import { Pencil, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { attempt, say } from '../../shared/attempt.ts';
import { CopyField } from '../../shared/copy-field.tsx';
import { Dialog, Question } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { type Permission, permissions } from '../../shared/login.ts';
import { FirstPassword } from '../../shared/password-form.tsx';
import { receiver } from '../../shared/receiver.ts';
import { dayOf, timeOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

type Account = Result<'get', '/accounts'>['accounts'][number];

/** One to be changed, a new one of a kind, one to be removed, or a token that was made. */
type Asked =
  | { readonly edit: Account }
  | { readonly add: Account['kind'] }
  | { readonly remove: Account }
  | { readonly token: string };

export function Accounts() {
  const { value, trouble, again } = useAnswer((signal) => receiver.get('/accounts', {}, { signal }), []);
  const [asked, setAsked] = useState<Asked>();
  const { accounts: said, common } = words.value;
  const close = () => setAsked(undefined);
  if (value === undefined) return trouble ? <Empty text={trouble} /> : null;
  // Whoever has just added the first account is logged in by now, and sees what it may do.
  if (value.accounts.length === 0)
    return (
      <div class="narrow">
        <FirstPassword onSet={() => location.reload()} />
      </div>
    );
  const remove = async ({ kind, name }: Account) => {
    const done = await attempt(() => receiver.delete('/accounts/{kind}/{name}', { kind, name }));
    close();
    if (done === undefined) return;
    // Nobody is logged in any more.
    if (value.accounts.length === 1) return location.reload();
    say(said.removed(name));
    await again();
  };
  const admins = value.accounts.filter(({ rights: may }) => may.includes('admin'));
  const isNeeded = (one: Account) => admins.length === 1 && admins[0] === one && value.accounts.length > 1;
  return (
    <div class="narrow">
      <ol class="list">
        {value.accounts.map((account) => (
          <li key={`${account.kind} ${account.name}`} class="account">
            <span>
              <b>{account.name}</b> <small>{said[account.kind]}</small>
              <br />
              <small>
                {permissions
                  .filter(isHeldBy(account))
                  .map((permission) => said[permission])
                  .join(' · ')}
              </small>
            </span>
            {account.kind === 'user' && (
              <button
                type="button"
                class="bare"
                aria-label={said.editNamed(account.name)}
                onClick={() => setAsked({ edit: account })}
              >
                <Icon of={Pencil} />
              </button>
            )}
            <button
              type="button"
              class="bare"
              aria-label={said.removeNamed(account.name)}
              onClick={() => (isNeeded(account) ? say(said.needsAdmin) : setAsked({ remove: account }))}
            >
              <Icon of={Trash2} />
            </button>
          </li>
        ))}
      </ol>
      <p class="actions">
        <button type="button" class="button strong" onClick={() => setAsked({ add: 'user' })}>
          <Icon of={Plus} size={16} /> {said.addUser}
        </button>
        <button type="button" class="button" onClick={() => setAsked({ add: 'token' })}>
          <Icon of={Plus} size={16} /> {said.addToken}
        </button>
      </p>
      <section class="day" aria-labelledby="recent-clients">
        <h2 id="recent-clients" class="day-head">
          {said.recentActivity}
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
      {asked && ('edit' in asked || 'add' in asked) && (
        <AccountDialog
          kind={'edit' in asked ? 'user' : asked.add}
          before={'edit' in asked ? asked.edit : undefined}
          others={value.accounts}
          isNeeded={'edit' in asked && isNeeded(asked.edit)}
          onDone={(token) => {
            setAsked(token === null ? undefined : { token });
            void again();
          }}
          onClose={close}
        />
      )}
      {asked && 'remove' in asked && (
        <Question
          title={said.removeQuestion(asked.remove.name)}
          effect={value.accounts.length === 1 ? said.removeLast : said.removeEffect}
          action={common.delete}
          onConfirm={() => remove(asked.remove)}
          onClose={close}
        />
      )}
      {asked && 'token' in asked && (
        <Dialog title={said.newToken} onClose={close}>
          <p>{said.tokenAbout}</p>
          <CopyField label={said.token} text={asked.token} />
        </Dialog>
      )}
    </div>
  );
}

/** Every account may view. */
const isHeldBy = (account: Account) => (permission: Permission) =>
  permission === 'view' || account.rights.includes(permission);

/** What calls itself Mozilla names itself further on. */
const appOf = (agent: string) => /(?:Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(agent)?.[0] ?? agent.split(' ', 1)[0];

interface AccountDialogProps {
  readonly kind: Account['kind'];
  readonly before: Account | undefined;
  readonly others: readonly Account[];
  /** It keeps the permission to administer. */
  readonly isNeeded: boolean;
  /** `token`: of a new one. */
  readonly onDone: (token: string | null) => void;
  readonly onClose: () => void;
}

function AccountDialog({ kind, before, others, isNeeded, onDone, onClose }: AccountDialogProps) {
  const [trouble, setTrouble] = useState('');
  const { accounts: said, setup, common } = words.value;
  const may = before?.rights ?? ['control', 'record'];
  // Every account may view. A disabled field is not sent.
  const isGiven = (permission: Permission) => permission === 'view' || (permission === 'admin' && isNeeded);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const name = before?.name ?? String(given.get('name'));
    const password = String(given.get('password') ?? '');
    // To put a user who is there would change that one.
    if (!before && others.some((one) => one.kind === kind && one.name === name)) return setTrouble(said.taken(name));
    const chosen = permissions.filter((permission) => isGiven(permission) || given.has(permission));
    const done = await attempt(() =>
      receiver.put('/accounts/{kind}/{name}', { kind, name, rights: chosen, ...(password && { password }) }),
    );
    if (done) onDone(done.token);
  };
  return (
    <Dialog title={before ? before.name : kind === 'user' ? said.addUser : said.addToken} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        {!before && (
          <label>
            {kind === 'user' ? setup.user : said.tokenName}
            <input name="name" required maxLength={32} autocapitalize="off" autocomplete="off" />
          </label>
        )}
        {kind === 'user' && (
          <label>
            {before ? said.newPassword : setup.passwordField}
            <input name="password" type="password" required={!before} minLength={8} autocomplete="new-password" />
          </label>
        )}
        {permissions.map((permission) => (
          <label key={permission} class="choice">
            <input
              type="checkbox"
              name={permission}
              defaultChecked={isGiven(permission) || may.includes(permission)}
              disabled={isGiven(permission)}
            />{' '}
            {said[permission]}
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
