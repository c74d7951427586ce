/** The power card: standby, and deep standby, reboot and restart after a confirmation. */
import { Moon, Power, RotateCcw, Sun } from 'lucide';
import { useState } from 'preact/hooks';
import { Refused } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

/** Values of `newstate`. */
const changes = { deepStandby: 1, reboot: 2, restart: 3 } as const;
type Change = keyof typeof changes;
const [wake, standby] = [4, 5];

/** Changes the power state. A refusal with status 200 always means that `power.shutdown` is off. */
async function changeTo(newstate: number): Promise<boolean> {
  const done = await attempt(async () => {
    try {
      return await receiver.post('/api/powerstate', { newstate });
    } catch (error) {
      if (!(error instanceof Refused && error.status === 200)) throw error;
      showToast(words.peek().remote.notAllowed);
      return undefined;
    }
  });
  return done !== undefined;
}

export function PowerCard() {
  const { value, reload } = useResponse((signal) => receiver.get('/api/powerstate', {}, { signal }), [], ['standby']);
  const [pendingChange, setPendingChange] = useState<Change>();
  const { remote } = words.value;
  const isInStandby = value?.instandby ?? false;
  const toggle = async () => {
    await changeTo(isInStandby ? wake : standby);
    await reload();
  };
  return (
    <section class="card" aria-labelledby="power">
      <h2 id="power">{remote.power}</h2>
      <p role="status">{value && (isInStandby ? remote.inStandby : remote.isOn)}</p>
      <p class="actions">
        <button type="button" class="button strong" onClick={() => void toggle()}>
          <Icon of={isInStandby ? Sun : Moon} size={16} /> {isInStandby ? remote.wake : remote.standby}
        </button>
        <button type="button" class="button" onClick={() => setPendingChange('deepStandby')}>
          <Icon of={Power} size={16} /> {remote.deepStandby}
        </button>
        <button type="button" class="button" data-needs="admin" onClick={() => setPendingChange('reboot')}>
          <Icon of={RotateCcw} size={16} /> {remote.reboot}
        </button>
        <button type="button" class="button" data-needs="admin" onClick={() => setPendingChange('restart')}>
          <Icon of={RotateCcw} size={16} /> {remote.restart}
        </button>
      </p>
      {pendingChange && <ChangeQuestion change={pendingChange} onClose={() => setPendingChange(undefined)} />}
    </section>
  );
}

function ChangeQuestion({ change, onClose }: { readonly change: Change; readonly onClose: () => void }) {
  const { remote } = words.value;
  const confirm = async () => {
    onClose();
    if (await changeTo(changes[change])) showToast(remote.requestSent);
  };
  return (
    <Question
      title={remote[`${change}Question`]}
      effect={remote[`${change}Effect`]}
      action={remote[change]}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
