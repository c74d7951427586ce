/** The remote control: keys, screenshot, volume, power, sleep timer and messages. */
import { words } from '../../shared/words.ts';
import { Keypad } from './keypad.tsx';
import { MessageForm } from './message-form.tsx';
import { PowerCard } from './power.tsx';
import { Screenshot } from './screenshot.tsx';
import { SleepTimer } from './sleep-timer.tsx';
import { VolumeCard } from './volume.tsx';

export default function Remote() {
  return (
    <section class="remote">
      <div class="page-head">
        <h1>{words.value.app.remote}</h1>
      </div>
      <Keypad />
      <div class="beside">
        <div class="stack">
          <Screenshot />
          <VolumeCard />
          <PowerCard />
        </div>
        <div class="stack">
          <SleepTimer />
          <MessageForm />
        </div>
      </div>
    </section>
  );
}
