/** Adds channels of the service list to a bouquet: searched by name, and filtered by their properties. */
import { useMemo, useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { folded } from '../../shared/fold.ts';
import { Choice } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { qualityOf } from '../../shared/same-names.ts';
import { useResponse } from '../../shared/use-response.ts';
import { language, words } from '../../shared/words.ts';
import { useChoosing } from './choosing.ts';
import type { Edit } from './edit-bouquet.ts';
import { type Entry, find, identityOf, without } from './edits.ts';

type Given = Result<'get', '/bouquets/services'>['services'][number];

interface Candidate extends Given {
  readonly folded: string;
  readonly quality: string;
}

interface AddProps {
  /** Entries of the bouquet. */
  readonly listed: readonly Entry[];
  readonly edit: Edit;
  readonly onClose: () => void;
}

/** Channels shown at once. */
const pageSize = 100;

const filterNames = ['quality', 'source', 'provider', 'access'] as const;
type FilterName = (typeof filterNames)[number];

export function AddChannels({ listed, edit, onClose }: AddProps) {
  const [text, setText] = useState('');
  const [filters, setFilters] = useState<Readonly<Partial<Record<FilterName, string>>>>({});
  const [length, setLength] = useState(pageSize);
  const { keys: chosen, mark } = useChoosing();
  const { value } = useResponse(loadCandidates, [], ['services']);
  const { bouquets: texts, common } = words.value;
  const inBouquet = useMemo(() => new Set(listed.map(identityOf)), [listed]);
  const wanted = folded(text.trim());
  const found = useMemo(() => {
    const isWanted = (candidate: Candidate) =>
      candidate.folded.includes(wanted) &&
      filterNames.every((name) => [undefined, knownOf(candidate, name)].includes(filters[name]));
    return value?.filter(isWanted);
  }, [value, wanted, filters]);
  const narrow = (name: FilterName, picked: string) => {
    setLength(pageSize);
    setFilters({ ...filters, [name]: picked === '' ? undefined : picked });
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const added = (value ?? [])
      .filter(({ reference }) => chosen.has(reference))
      .map(({ reference, name }) => ({
        reference,
        name,
        own: '',
        hidden: false,
        locked: false,
        kind: 'service' as const,
      }));
    if (added.length === 0 || !(await edit((now) => [...now, ...added]))) return;
    const undo = () => edit((now) => without(now, find(now, added)));
    showToast(texts.addedCount(added.length), { label: common.undo, run: undo });
    onClose();
  };
  const names = { quality: texts.resolution, source: texts.source, provider: texts.provider, access: texts.encryption };
  const shown = found?.slice(0, length);
  const range = shown?.filter((candidate) => !inBouquet.has(identityOf(candidate))).map(({ reference }) => reference);
  return (
    <Dialog title={texts.addService} class="add-channels" onClose={onClose}>
      <form onSubmit={(event) => void add(event)}>
        <label>
          {texts.nameOfService}
          <input
            type="search"
            autocomplete="off"
            value={text}
            onInput={(event) => {
              setLength(pageSize);
              setText(event.currentTarget.value);
            }}
          />
        </label>
        <div class="fields">
          {filterNames.map((name) => (
            <Filter
              key={name}
              label={names[name]}
              value={filters[name] ?? ''}
              candidates={value ?? []}
              name={name}
              onPick={(picked) => narrow(name, picked)}
            />
          ))}
        </div>
        <ol class="list found">
          {shown?.map((candidate) => {
            const isListed = inBouquet.has(identityOf(candidate));
            return (
              <li key={candidate.reference}>
                <label class="choice found-service">
                  <input
                    type="checkbox"
                    checked={isListed || chosen.has(candidate.reference)}
                    disabled={isListed}
                    onClick={({ currentTarget: { checked }, shiftKey }) =>
                      mark([candidate.reference], checked, shiftKey ? range : undefined)
                    }
                  />
                  <span>{candidate.name}</span>
                  <small>{isListed ? texts.listed : detailsOf(candidate)}</small>
                </label>
              </li>
            );
          })}
          {found && found.length > length && (
            <li>
              <button type="button" class="button" onClick={() => setLength(length + pageSize)}>
                {texts.moreChannels(found.length - length)}
              </button>
            </li>
          )}
        </ol>
        {found?.length === 0 && <p class="hint">{texts.nothingFound}</p>}
        <button type="submit" class="button strong" disabled={chosen.size === 0}>
          {texts.addCount(chosen.size)}
        </button>
      </form>
    </Dialog>
  );
}

async function loadCandidates(signal: AbortSignal): Promise<readonly Candidate[]> {
  const { services } = await receiver.get('/bouquets/services', {}, { signal });
  const { compare } = new Intl.Collator(language.peek(), { sensitivity: 'base', numeric: true });
  return services
    .map((service) => ({ ...service, folded: folded(service.name), quality: qualityOf(service) }))
    .sort((a, b) => compare(a.name, b.name));
}

function knownOf(candidate: Candidate, name: FilterName): string {
  if (name === 'access') return candidate.encrypted ? 'encrypted' : 'free';
  return candidate[name];
}

function textOf(value: string): string {
  const { bouquets: texts } = words.value;
  const named: Readonly<Record<string, string>> = { radio: texts.radio, encrypted: texts.encrypted, free: texts.free };
  return named[value] ?? value;
}

function detailsOf(candidate: Candidate): string {
  const access = candidate.encrypted ? textOf('encrypted') : '';
  return [textOf(candidate.quality), candidate.source, candidate.provider, access].filter(Boolean).join(' · ');
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly candidates: readonly Candidate[];
  readonly name: FilterName;
  readonly onPick: (value: string) => void;
}

/** A choice of one of the values that candidates have; none if all have the same. */
function Filter({ label, value, candidates, name, onPick }: FilterProps) {
  const values = useMemo(() => {
    const all = [...new Set(candidates.map((candidate) => knownOf(candidate, name)))].filter(Boolean);
    return all.sort(new Intl.Collator(language.peek(), { numeric: true }).compare);
  }, [candidates, name]);
  if (values.length < 2) return null;
  const options = [['', words.value.common.all] as const, ...values.map((one) => [one, textOf(one)] as const)];
  return <Choice label={label} value={value} options={options} onPick={onPick} />;
}
