/**
 * The player page: `#/watch?service=REF&name=NAME` plays a service, `#/watch?recording=PATH` a recording, with `from=start`
 * from its beginning.
 */
import { Empty } from '../../shared/empty.tsx';
import { route } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { Live } from './live.tsx';
import { Recorded } from './recorded.tsx';

export default function Watch() {
  const { service, recording, name = '', from } = route.value.query;
  // Without keys, so that full screen persists across channels and episodes.
  if (service) return <Live reference={service} name={name} />;
  if (recording) return <Recorded path={recording} fromStart={from === 'start'} />;
  return <Empty text={words.value.watch.nothing} />;
}
