/** Lets the user choose which DVB cards of the machine the receiver uses. */
import { useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { words } from '../../shared/words.ts';
import { setupWords } from './texts.ts';
import type { TunerSetting } from './tuner-setting.ts';

export type Card = Result<'get', '/api/frontends'>['frontends'][number];

interface CardsProps {
  readonly cards: readonly Card[];
  readonly setting: TunerSetting;
}

const allCards = 'dvb:*';

export function Cards({ cards, setting: { given, isOff, isFixed, save } }: CardsProps) {
  const { common } = words.value;
  const setup = setupWords();
  // `dvb:0/0` is `dvb:0`.
  const named = new Set(given.map((spec) => spec.replace(/^(dvb:\d+)\/0$/, '$1')));
  const usesAll = named.has(allCards) || (given.length === 0 && !isOff);
  const used = cards.map(({ source }) => source).filter((source) => usesAll || named.has(source));
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const now = chosen ?? new Set(used);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const own =
      now.size === cards.length ? [allCards] : cards.map(({ source }) => source).filter((one) => now.has(one));
    const edited = (before: readonly string[]) => {
      const specs = [...own, ...before.filter((spec) => !spec.startsWith('dvb:'))];
      return specs.length > 0 ? specs : ['none'];
    };
    // What is chosen meanwhile stays.
    if (await save(edited)) setChosen((latest) => (latest === chosen ? undefined : latest));
  };
  const toggle = (source: string) =>
    setChosen(new Set(cards.map((card) => card.source).filter((one) => (one === source) !== now.has(one))));
  return (
    <section class="card" aria-labelledby="cards">
      <h2 id="cards">{setup.cards}</h2>
      <p id="cards-about">{setup.cardsAbout}</p>
      <form onSubmit={(event) => void submit(event)}>
        <fieldset class="row-list" aria-labelledby="cards" aria-describedby="cards-about" disabled={isFixed}>
          {cards.map(({ source, name, systems, trouble }) => (
            <label key={source} class="choice">
              <input type="checkbox" checked={now.has(source)} onChange={() => toggle(source)} />
              <span>
                <strong>{name || source}</strong>{' '}
                {[systems.join(', '), name && source, trouble].filter(Boolean).join(' · ')}
              </span>
            </label>
          ))}
        </fieldset>
        <p class="actions">
          <button type="submit" class="button" disabled={chosen === undefined}>
            {common.save}
          </button>
        </p>
      </form>
    </section>
  );
}
