/** The receiver itself: the machine, its tuners and their signal, who watches, the log, and what the doctor says. */
import type { ComponentType } from 'preact';
import { href, hrefHere, route } from '../../shared/route.ts';
import { type Words, words } from '../../shared/words.ts';
import { Doctor } from './doctor.tsx';
import { Log } from './log.tsx';
import { Overview } from './overview.tsx';
import { SignalPlot } from './signal-plot.tsx';
import { Streams } from './streams.tsx';
import { Tuners } from './tuners.tsx';

interface Section {
  readonly title: (said: Words['box']) => string;
  readonly View: ComponentType;
}

/** By `view` in the address; the first has none. */
const sections: Readonly<Record<string, Section>> = {
  '': { title: ({ overview }) => overview, View: Overview },
  tuners: { title: ({ tuners }) => tuners, View: Tuners },
  signal: { title: ({ signal }) => signal, View: SignalPlot },
  streams: { title: ({ streams }) => streams, View: Streams },
  log: { title: ({ log }) => log, View: Log },
  doctor: { title: ({ doctor }) => doctor, View: Doctor },
};

export default function Box() {
  const { view = '' } = route.value.query;
  const { app, box } = words.value;
  const { title, View } = sections[view] ?? { title: ({ overview }) => overview, View: Overview };
  return (
    <section class="box">
      <div class="page-head">
        <h1>{app.box}</h1>
        <nav class="days sections" aria-label={box.sections}>
          {Object.entries(sections).map(([name, section]) => (
            <a key={name} href={hrefHere({ view: name })} aria-current={name === view ? 'page' : undefined}>
              {section.title(box)}
            </a>
          ))}
          <a href={href('bouquets')}>{app.bouquets}</a>
          <a href={href('scan')}>{app.scan}</a>
        </nav>
      </div>
      <section aria-label={title(box)}>
        <View key={view} />
      </section>
    </section>
  );
}
