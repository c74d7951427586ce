/** The import of an IPTV list: a form, and the report about what was imported. */
import { signal } from '@preact/signals';
import type { Result } from '../../../client/client.ts';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { importTimeoutMs, SourceForm, type SourceGiven } from '../../shared/source-form.tsx';
import { words } from '../../shared/words.ts';

export interface ImportedList extends Result<'post', '/bouquets/import'> {
  readonly name: string;
}

/**
 * The address of the guide of the list imported last. It may contain a password, so it is not in the page's address.
 * `isWanted`: to be imported as soon as the step for the guide opens.
 */
export const guideOfList = signal({ url: '', isWanted: false });

export function ListForm({ onDone }: { readonly onDone: (imported: ImportedList) => void }) {
  const { bouquets: texts } = words.value;
  const send = async ({ url, file, form }: SourceGiven) => {
    const name = String(form.get('name')).trim() || (file?.name.replace(/\.[^.]*$/, '') ?? hostOf(url));
    const done = await receiver.post(
      '/bouquets/import',
      { name, ...(url && { url }) },
      { body: file ?? '', timeoutMs: importTimeoutMs },
    );
    guideOfList.value = { url: done.guides[0] ?? '', isWanted: false };
    onDone({ ...done, name });
  };
  return (
    <SourceForm
      about={texts.importAbout}
      file={texts.listFile}
      accept=".m3u,.m3u8,audio/x-mpegurl"
      action={texts.importNow}
      onSend={send}
    >
      <label class="wide">
        {texts.nameOfList}
        <input name="name" maxLength={100} />
      </label>
    </SourceForm>
  );
}

const hostOf = (url = '') => (URL.canParse(url) ? new URL(url).hostname : url);

function wantGuide(): void {
  guideOfList.value = { ...guideOfList.peek(), isWanted: true };
}

export function ListReport({ channels, name, skipped, problems, guides }: ImportedList) {
  const { bouquets: texts, setup } = words.value;
  return (
    <div role="status">
      <p>{texts.imported(channels, name)}</p>
      {skipped > 0 && <p>{texts.skipped(skipped)}</p>}
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
          {skipped > problems.length && <li>…</li>}
        </ul>
      )}
      {guides.length > 0 && (
        <>
          <p>{texts.guidesOfList}</p>
          <p class="actions">
            <a class="button strong" href={href('setup', { step: 'guide' })} onClick={wantGuide}>
              {setup.importGuide}
            </a>
          </p>
        </>
      )}
    </div>
  );
}
