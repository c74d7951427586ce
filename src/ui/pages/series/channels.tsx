/** The channels and bouquets of a rule: a list with a choice of further ones. Without any, the rule covers all channels. */
import { Plus, X } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { ChannelPicker, loadChannels } from '../../shared/pickers.tsx';
import { fullName } from '../../shared/same-names.ts';
import type { Bouquet } from '../../shared/services.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import type { Draft } from './rules.ts';

/** Limit of the receiver, for each of the two lists. */
const maxEntries = 500;

interface ChannelsProps {
  readonly draft: Pick<Draft, 'services' | 'bouquets'>;
  readonly bouquets: readonly Bouquet[];
  /** References that the receiver no longer has. */
  readonly missing: readonly string[];
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly onAddBouquet: () => void;
}

export function Channels({ draft, bouquets, missing, onChange, onAddBouquet }: ChannelsProps) {
  const { value: lists } = useResponse(loadChannels, [], ['services']);
  const { series } = words.value;
  const { services } = draft;
  const names = new Map([
    ...(lists ?? []).flatMap(({ channels }) =>
      channels.map((channel) => [channel.reference, fullName(channel)] as const),
    ),
    ...bouquets.map(({ reference, name }) => [reference, name] as const),
  ]);
  const isEmpty = services.length + draft.bouquets.length === 0;
  return (
    <fieldset class="rule-channels">
      <legend>{series.channels}</legend>
      {(['bouquets', 'services'] as const).map((list) => (
        <ul key={list}>
          {draft[list].map((reference) => (
            <Entry
              key={reference}
              name={names.get(reference) ?? nameIn(reference)}
              isMissing={missing.includes(reference)}
              onRemove={() => onChange({ [list]: draft[list].filter((other) => other !== reference) })}
            />
          ))}
        </ul>
      ))}
      <div class="pair">
        <ChannelPicker
          label={series.channel}
          value=""
          none={isEmpty ? series.allChannels : series.addChannel}
          disabled={services.length >= maxEntries}
          onPick={(service) => onChange({ services: withEntry(services, service) })}
        />
        {draft.bouquets.length < maxEntries && bouquets.length > 0 && (
          <button type="button" class="button" aria-haspopup="dialog" onClick={onAddBouquet}>
            <Icon of={Plus} size={16} /> {series.addBouquet}
          </button>
        )}
      </div>
    </fieldset>
  );
}

export const withEntry = (list: readonly string[], reference: string): string[] => [
  ...new Set([...list, reference].filter(Boolean)),
];

/** What a reference says of itself: the file of a bouquet, the name or the path after its ten numbers, else the reference. */
function nameIn(reference: string): string {
  const [, file] = /FROM BOUQUET "([^"]+)"/.exec(reference) ?? [];
  const [path = '', ...name] = reference.split(':').slice(10);
  return file ?? (name.join(':') || decoded(path) || reference);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

interface EntryProps {
  readonly name: string;
  readonly isMissing: boolean;
  readonly onRemove: () => void;
}

function Entry({ name, isMissing, onRemove }: EntryProps) {
  const { series } = words.value;
  return (
    <li>
      <span class="what">
        {name}
        {isMissing && <span class="sub gone">{series.gone}</span>}
      </span>
      <button type="button" class="bare" aria-label={series.removeNamed(name)} onClick={onRemove}>
        <Icon of={X} />
      </button>
    </li>
  );
}
