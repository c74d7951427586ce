/** Locking and freeing services and bouquets. Once there is a code, it is asked for. */
import { attempt, say } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { askCode } from '../../shared/zap.tsx';

export async function changeLock(service: string, name: string, isLocked: boolean): Promise<void> {
  const { bouquets, parental } = words.peek();
  await attempt(async () => {
    const { set } = await receiver.get('/parentallock', { service });
    const put = async (pin: string) => {
      await receiver.put('/parentallock', { service, locked: isLocked, pin });
      say(isLocked ? (set ? bouquets.nowLocked(name) : bouquets.lockedWithoutPin(name)) : bouquets.nowUnlocked(name));
    };
    if (set) askCode(isLocked ? parental.lock(name) : parental.unlock(name), put);
    else await put('');
  });
}
