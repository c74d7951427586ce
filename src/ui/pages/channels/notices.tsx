/** What a page with channels shows when there are none, or only those of the built-in demo. */
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import type { Service } from '../../shared/services.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { SetupOffer } from '../setup/offer.tsx';

export function NoChannels() {
  const { app, channels } = words.value;
  return (
    <section>
      <h1 class="unseen">{app.channels}</h1>
      <Empty title={channels.noneTitle} text={channels.noneText} />
      <SetupOffer />
    </section>
  );
}

/** The network of the built-in demo, of the range for private use. */
const isOfDemo = ({ reference }: Service) => reference.includes(':FF0D:EEEE0000:');

/**
 * Whether these are the demo's channels while no tuner receives others. Undefined until it is known, so that a page can wait
 * for it: the notice would push its contents down.
 */
export function useIsDemo(services: readonly Service[] | undefined): boolean | undefined {
  const hasDemo = services?.some(isOfDemo) ?? false;
  const load = async (signal: AbortSignal) => {
    if (!hasDemo) return { hasDemo, isAlone: false };
    const { tuners } = (await receiver.get('/api/about', {}, { signal })).info;
    return { hasDemo, isAlone: tuners.length > 0 && tuners.every(({ type }) => type.startsWith('Demo')) };
  };
  const { value, trouble } = useResponse(load, [hasDemo], ['tuner']);
  if (services === undefined) return undefined;
  return value?.hasDemo === hasDemo ? value.isAlone : trouble === '' ? undefined : false;
}

export const DemoNotice = () => <p class="notice">{words.value.app.demo}</p>;
