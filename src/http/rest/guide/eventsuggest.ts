/** `/api/eventsuggest`: completes a partly typed title. */
import * as Type from 'typebox';
import { route } from '../../endpoint/route.ts';
import { boolean, integer, text } from '../../middleware/parameters.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, recordSchema } from '../../write/record.ts';

const EventSuggestSchema = recordSchema(
  {
    result: true,
    len: field(1, { minimum: 0, description: 'number of titles' }),
    titles: Type.Array(
      recordSchema({
        title: 'Ships & Harbours',
        count: field(1, { minimum: 1, description: 'events with this title that have not ended' }),
        start_time: field(1767290400, 'Unix seconds: begin of the first of these events'),
      }),
    ),
  },
  { $id: 'EventSuggest' },
);

export const eventsuggest = route({
  path: '/api/eventsuggest',
  name: 'eventsuggest',
  tag: 'events',
  summary: 'Titles that complete the text being typed.',
  description:
    'The distinct titles that have a word beginning with the text. Titles that begin with the text come first, then more frequent titles. ' +
    'Case and accents are ignored. An empty text has no completions.',
  parameters: {
    what: text('the text typed so far', { example: 'shi' }),
    max_rows: integer('maximum number of titles', { minimum: 1, maximum: 100 }).or(10),
    forgiving: boolean(
      'if there are none, return the titles that have all words of the text but for slips of the keyboard (terk for trek), those with fewer ' +
        'slips first',
    ).or(false),
  },
  responses: {
    200: { description: 'the titles', schema: EventSuggestSchema },
  },
  async run({ guide }, { what = '', max_rows: limit, forgiving: isForgiving }) {
    const found = what.trim() === '' ? [] : await guide.suggest(what, { limit, isForgiving });
    const titles = found.map(({ title, count, start }) => ({ title: cleaned(title), count, start_time: start }));
    return { body: { result: true, len: titles.length, titles } };
  },
});
