/** What a page with channels shows when there are none, or only those of the built-in demo. */
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import type { Service } from '../../shared/services.ts';
import { useAnswer } from '../../shared/use-answer.ts';
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

/** Shown above the demo's channels while no tuner receives others. */
export function DemoNotice({ services }: { readonly services: readonly Service[] }) {
  return services.some(isOfDemo) ? <Notice /> : null;
}

function Notice() {
  const { value: about } = useAnswer((signal) => receiver.get('/api/about', {}, { signal }), [], ['tuner']);
  const tuners = about?.info.tuners ?? [];
  if (tuners.length === 0 || tuners.some(({ type }) => !type.startsWith('Demo'))) return null;
  return <p class="notice">{words.value.app.demo}</p>;
}
