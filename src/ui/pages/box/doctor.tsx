/** The findings of the doctor: problems with what helps, and the checks that were passed. */
import { CircleCheck, CircleX, RotateCw } from 'lucide';
import type { Result } from '../../../client/client.ts';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { type Words, words } from '../../shared/words.ts';
import { type Texts, useTexts } from './texts.ts';

type Finding = Result<'get', '/api/doctor'>['findings'][number];

export function Doctor() {
  const { value, trouble, reload } = useResponse((signal) => receiver.get('/api/doctor', {}, { signal }), []);
  const texts = useTexts();
  const { box } = words.value;
  const problems = value?.findings.filter(({ ok }) => !ok) ?? [];
  const passed = value?.findings.filter(({ ok }) => ok) ?? [];
  return (
    <div>
      <p class="findings-head">
        <span class="count" role="status">
          {value && (problems.length === 0 ? box.noProblems : box.problems(problems.length))}
        </span>
        <button type="button" class="button" onClick={() => void reload()}>
          <Icon of={RotateCw} size={16} /> {box.checkAgain}
        </button>
      </p>
      {trouble && <Empty text={trouble} />}
      {texts && problems.length > 0 && (
        <ol class="list findings">
          {problems.map((finding) => (
            <Problem key={`${finding.kind} ${finding.subject}`} finding={finding} texts={texts} />
          ))}
        </ol>
      )}
      {texts && passed.length > 0 && (
        <details class="more passed">
          <summary>{texts.passed(passed.length)}</summary>
          <ol class="list findings">
            {passed.map(({ kind, subject }) => (
              <li key={`${kind} ${subject}`} class="well">
                <Icon of={CircleCheck} />
                <div>
                  <strong>
                    <span class="unseen">{box.ok} </span>
                    {texts.checks[kind][0]}
                  </strong>
                  <p class="remedy">{subject}</p>
                </div>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function Problem({ finding, texts }: { readonly finding: Finding; readonly texts: Texts }) {
  const { kind, subject, problem, remedy } = finding;
  const [, title, help] = texts.checks[kind];
  const place = places[kind];
  return (
    <li class="ill">
      <Icon of={CircleX} />
      <div>
        <strong>
          <span class="unseen">{words.value.box.problem} </span>
          {title}
        </strong>
        {nameIn(finding) && <code>{nameIn(finding)}</code>}
        <p>{help}</p>
        {place && (
          <p class="actions">
            <a class="button" href={place.href}>
              {place.title(words.value)}
            </a>
          </p>
        )}
        <details class="more">
          <summary>{texts.details}</summary>
          <p>
            {subject}: {problem}
          </p>
          <p class="remedy">{remedy}</p>
        </details>
      </div>
    </li>
  );
}

/** What a finding is about, without its English words: `/media/hdd/movie/`, `satip:192.0.2.9`, `8080`. */
const nameIn = ({ subject }: Finding) =>
  /^folder (.*)/.exec(subject)?.[1] ?? /^(?:tuner|port|command) (\S*)/.exec(subject)?.[1];

interface Place {
  readonly href: string;
  readonly title: (texts: Words) => string;
}

const settings = (group: string): Place => ({ href: href('settings', { group }), title: ({ app }) => app.settings });

/** Where a problem can be solved on the page. */
const places: Partial<Readonly<Record<Finding['kind'], Place>>> = {
  settings: settings('recording'),
  folder: settings('recording'),
  lists: { href: href('box', { view: 'log' }), title: ({ box }) => box.log },
  tuner: settings('tuners'),
  channels: settings('tuners'),
  port: settings('network'),
  output: settings('picture'),
  command: settings('network'),
  alarm: settings('advanced'),
  keys: settings('picture'),
};
