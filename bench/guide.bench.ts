/**
 * The guide: EIT sections into the store, and searches over it. The rival is what a receiver in plain JavaScript does: an array
 * of event objects, filtered. Once folding each text when it is looked at, once with the texts folded beforehand, which
 * doubles the memory for them. What the searches find is compared event by event.
 */
import assert from 'node:assert/strict';
import { Guide } from '../src/epg/guide.ts';
import type { Comparison, Comparisons } from './comparison.ts';
import { type CorpusEvent, eitSections, loadCorpus } from './guide-corpus.ts';

/** Without case and accents. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

function byTime(a: { start: number; service: number }, b: { start: number; service: number }): number {
  return a.start - b.start || a.service - b.service;
}

/** Sections in, until the last of them is in the store. */
async function filled(sections: readonly Buffer[]): Promise<Guide> {
  const guide = new Guide();
  for (const [index, section] of sections.entries()) {
    guide.ingestSection(section);
    // The queue is bounded; a tuner leaves what finds it full to the next round of the carousel.
    if (index % 100 === 99) await guide.flush();
  }
  await guide.flush();
  return guide;
}

const comparisons: Comparisons = async (quick) => {
  const { events, source } = loadCorpus(quick ? 10_000 : 200_000);
  const sections = eitSections(events);
  const guide = await filled(sections);
  const { events: stored, memoryBytes } = await guide.statistics();
  assert.equal(stored, events.length, 'every event of the corpus is in the store');
  console.log(`\nguide: ${stored.toLocaleString('en')} ${source}, ${Math.round(memoryBytes / stored)} bytes each`);

  const folded = events.map((event) => ({ ...event, title: fold(event.title), text: fold(event.text) }));
  const found = (hits: readonly CorpusEvent[]) => ({
    total: hits.length,
    first: hits
      .toSorted(byTime)
      .slice(0, 100)
      .map(({ title }) => title),
  });
  const search = (text: string, within: 'title' | 'all'): Comparison => {
    const wanted = fold(text);
    const hit = ({ title, text: about }: CorpusEvent) =>
      title.includes(wanted) || (within === 'all' && about.includes(wanted));
    return {
      name: `guide: search '${text}' in ${within}`,
      work: { amount: events.length, unit: 'events' },
      contenders: [
        {
          name: 'receiverd',
          run: async () => {
            const result = await guide.search({ text, within });
            return { total: result.total, first: result.events.map(({ title }) => title) };
          },
        },
        { name: 'array of folded texts', run: () => found(events.filter((_, n) => hit(folded[n] as CorpusEvent))) },
        {
          name: 'array, folded as it goes',
          run: () =>
            found(
              events.filter(({ title, text: about, ...rest }) =>
                hit({ ...rest, title: fold(title), text: fold(about) }),
              ),
            ),
        },
      ],
      check: (ours, rival) => {
        assert.deepEqual(rival, ours);
        return undefined;
      },
    };
  };

  return [
    {
      name: 'guide: EIT sections into the store',
      work: { amount: events.length, unit: 'events' },
      contenders: [{ name: 'receiverd', run: async () => (await (await filled(sections)).statistics()).events }],
      check: () => undefined,
    },
    search('news', 'title'),
    search('the', 'all'),
    search('zzzz', 'all'),
  ];
};
export default comparisons;
