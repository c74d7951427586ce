/** Locks and unlocks services and bouquets. Asks for the PIN if one is set. */
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { askPin } from '../../shared/zap.tsx';

export async function changeLock(service: string, name: string, isLocked: boolean): Promise<void> {
  const { bouquets, parental } = words.peek();
  await attempt(async () => {
    const { set } = await receiver.get('/parentallock', { service });
    const put = async (pin: string) => {
      await receiver.put('/parentallock', { service, locked: isLocked, pin });
      showToast(
        isLocked ? (set ? bouquets.nowLocked(name) : bouquets.lockedWithoutPin(name)) : bouquets.nowUnlocked(name),
      );
    };
    if (set) askPin(isLocked ? parental.lock(name) : parental.unlock(name), put);
    else await put('');
  });
}
