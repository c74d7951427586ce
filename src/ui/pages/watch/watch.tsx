/**
 * Television in the page: `#/watch?service=REF&name=NAME` live, `#/watch?recording=PATH` from the disk, with `from=start`
 * from its beginning.
 */
import { Empty } from '../../shared/empty.tsx';
import { route } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { Live } from './live.tsx';
import { Recorded } from './recorded.tsx';

export default function Watch() {
  const { service, recording, name = '', from } = route.value.query;
  // Without a key: the full screen lasts from channel to channel.
  if (service) return <Live reference={service} name={name} />;
  if (recording) return <Recorded key={recording} path={recording} isAnew={from === 'start'} />;
  return <Empty text={words.value.watch.nothing} />;
}
