/** Tells administrators that the receiver does not appear as an HDHomeRun, with a button that switches this on. */
import { useState } from 'preact/hooks';
import { session } from '../../shared/login.ts';
import { receiver } from '../../shared/receiver.ts';
import { saveForRestart } from '../../shared/restart.ts';
import { useResponse } from '../../shared/use-response.ts';
import type { Texts } from './texts.ts';

const name = 'hdhomerun.server';

export function HdhomerunSwitch({ texts }: { readonly texts: Texts }) {
  const isAdmin = session.value?.rights.includes('admin') === true;
  const { value } = useResponse(
    async (signal) => (isAdmin ? receiver.get('/api/configuration', {}, { signal }) : undefined),
    [isAdmin],
  );
  const [isDone, setDone] = useState(false);
  const isOn = value?.settings.find((setting) => setting.name === name)?.value;
  if (isOn !== 'false' || isDone) return null;
  const switchOn = async () => {
    if (await saveForRestart({ [name]: true })) setDone(true);
  };
  return (
    <p class="notice">
      {texts.hdhomerunOff}{' '}
      <button type="button" class="button" onClick={() => void switchOn()}>
        {texts.switchOn}
      </button>
    </p>
  );
}
