/** The signal of one tuner, plotted over time. */
import { Options } from '../../shared/options.tsx';
import { change, route } from '../../shared/route.ts';
import { lengthOf, numberOf } from '../../shared/time.ts';
import { useTuners } from '../../shared/tuners.ts';
import { words } from '../../shared/words.ts';
import { type Sample, useSamples } from './samples.ts';
import { NoTuner } from './tuners.tsx';

export function SignalPlot() {
  const tuners = useTuners();
  const chosen = Number(route.value.query.tuner ?? 0);
  const samples = useSamples(chosen);
  const { box } = words.value;
  const last = samples.at(-1);
  if (tuners?.length === 0) return <NoTuner />;
  const hasDecibels = last !== undefined && last.snr !== null;
  return (
    <>
      <p class="fields">
        <label>
          {box.tuner}
          <select value={chosen} onChange={(event) => change({ tuner: event.currentTarget.value }, { replace: true })}>
            <Options of={tuners?.map(({ number, name, model }) => [number, `${name} (${model})`])} />
          </select>
        </label>
      </p>
      <p class="hint" role="status">
        {last === undefined ? box.waiting : last.locked ? box.locked : box.noSignal}
      </p>
      <div class="plots">
        {hasDecibels && <Plot title={box.snr} unit="dB" samples={samples} of={({ snr }) => snr ?? 0} minTop={40} />}
        <Plot title={box.quality} unit="%" samples={samples} of={({ quality }) => quality} minTop={100} />
        <Plot title={box.strength} unit="%" samples={samples} of={({ strength }) => strength} minTop={100} />
        <Plot title={box.bitErrors} unit="" samples={samples} of={({ bitErrors }) => bitErrors} minTop={10} />
      </div>
    </>
  );
}

interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly samples: readonly Sample[];
  readonly of: (sample: Sample) => number;
  /** The scale ends here, or at a larger value. */
  readonly minTop: number;
}

/** Shortest time that the plot spans. */
const minSpanMs = 60_000;
/** Size of the plot in its own units. */
const [width, height] = [600, 120];

function Plot({ title, unit, samples, of, minTop }: PlotProps) {
  const { box, time } = words.value;
  const values = samples.map(of);
  const top = Math.max(minTop, ...values);
  const end = samples.at(-1)?.time ?? 0;
  const span = Math.max(minSpanMs, end - (samples[0]?.time ?? end));
  const points = samples.map((sample) => {
    const x = width * (1 - (end - sample.time) / span);
    return `${x.toFixed(1)},${(height * (1 - of(sample) / top)).toFixed(1)}`;
  });
  const format = (value: number) => `${numberOf(Math.round(value * 100) / 100)}${unit && ` ${unit}`}`;
  const summary =
    values.length === 0
      ? box.waiting
      : box.range(format(values.at(-1) ?? 0), format(Math.min(...values)), format(Math.max(...values)));
  return (
    <figure class="card plot">
      <figcaption>
        <h2>{title}</h2>
        <p>{summary}</p>
      </figcaption>
      <div class="plot-area">
        <p class="axis y" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{format(value)}</span>
          ))}
        </p>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${summary}`}
        >
          {[0, 0.25, 0.5, 0.75].map((share) => (
            <line key={share} x1="0" x2={width} y1={height * share} y2={height * share} />
          ))}
          <polyline points={points.join(' ')} />
        </svg>
        <p class="axis x" aria-hidden="true">
          <span>{box.ago(lengthOf(span / 1000))}</span>
          <span>{time.now}</span>
        </p>
      </div>
    </figure>
  );
}
