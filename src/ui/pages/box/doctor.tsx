/** The findings of the doctor: what works, what does not, and how to fix it. */
import { CircleCheck, CircleX, RotateCw } from 'lucide';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

export function Doctor() {
  const { value, trouble, reload } = useAnswer((signal) => receiver.get('/api/doctor', {}, { signal }), []);
  const { box } = words.value;
  const problems = value?.findings.filter(({ ok }) => !ok).length ?? 0;
  return (
    <div class="narrow">
      <p class="findings-head">
        <span class="count" role="status">
          {value && (problems === 0 ? box.noProblems : box.problems(problems))}
        </span>
        <button type="button" class="button" onClick={() => void reload()}>
          <Icon of={RotateCw} size={16} /> {box.checkAgain}
        </button>
      </p>
      {trouble && <Empty text={trouble} />}
      <ol class="list findings">
        {value?.findings.map(({ kind, subject, ok, problem, remedy }) => (
          <li key={`${kind} ${subject}`} class={ok ? 'well' : 'ill'}>
            <Icon of={ok ? CircleCheck : CircleX} />
            <div>
              <strong>
                <span class="unseen">{ok ? box.ok : box.problem} </span>
                {subject}
              </strong>
              {problem && <p>{problem}</p>}
              {remedy && <p class="remedy">{remedy}</p>}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
