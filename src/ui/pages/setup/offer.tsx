/** Offers the setup assistant while there are no channels. */
import { href } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';

export function SetupOffer() {
  const { setup } = words.value;
  return (
    <p class="notice offer">
      {setup.offer}{' '}
      <a class="button strong" href={href('setup')}>
        {setup.begin}
      </a>
    </p>
  );
}
