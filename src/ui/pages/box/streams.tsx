/** The clients of live streams, and the session of this browser. */
import { Empty } from '../../shared/empty.tsx';
import { useLogin } from '../../shared/login.ts';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Facts } from './facts.tsx';

export function Streams() {
  const { value } = useResponse((signal) => receiver.get('/api/deviceinfo', {}, { signal }), [], ['streams', 'guide']);
  const login = useLogin();
  const { box } = words.value;
  if (value === undefined) return null;
  return (
    <div>
      {value.streams.length === 0 ? (
        <Empty title={box.noStreamsTitle} text={box.noStreamsText} />
      ) : (
        <ol class="list streams">
          {value.streams.map(({ ref, name, eventname, ip }, index) => (
            <li key={index}>
              <a href={href('channel', { service: ref, name })}>{name}</a>
              <span>{eventname}</span>
              <span class="from">{ip}</span>
            </li>
          ))}
        </ol>
      )}
      {login && (
        <section class="card" aria-labelledby="session">
          <h2 id="session">{box.session}</h2>
          <Facts
            of={[
              [box.user, login.user ?? box.notLoggedIn],
              [box.rights, login.rights.join(', ')],
            ]}
          />
        </section>
      )}
    </div>
  );
}
