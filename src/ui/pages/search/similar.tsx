/** Titles that are spelled nearly like a text that nothing was found for. */
import { folded } from '../../shared/fold.ts';
import { receiver } from '../../shared/receiver.ts';
import { hrefHere } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

const maxTitles = 5;

export function Similar({ text }: { readonly text: string }) {
  const { value } = useResponse(
    async (signal) =>
      (await receiver.get('/api/eventsuggest', { what: text, max_rows: maxTitles, forgiving: true }, { signal }))
        .titles,
    [text],
    ['guide'],
  );
  const titles = (value ?? []).filter(({ title }) => folded(title) !== folded(text.trim()));
  if (titles.length === 0) return null;
  return (
    <p class="similar" role="status">
      {words.value.search.didYouMean}{' '}
      {titles.map(({ title }) => (
        <a key={title} class="button" href={hrefHere({ text: title })}>
          {title}
        </a>
      ))}
    </p>
  );
}
