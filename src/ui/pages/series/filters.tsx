/** Filters of a rule: patterns that the texts of an event must or must not match. */
import { Plus, X } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';
import type { Draft } from './rules.ts';

type Filter = Draft['include'][number];

/** Limit of the receiver. */
const maxFilters = 20;

interface FiltersProps {
  readonly label: string;
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
}

export function Filters({ label, filters, onChange }: FiltersProps) {
  const { series } = words.value;
  const put = (index: number, changes: Partial<Filter>) =>
    onChange(filters.map((filter, at) => (at === index ? { ...filter, ...changes } : filter)));
  return (
    <fieldset class="patterns">
      <legend>{label}</legend>
      {filters.map((filter, index) => (
        <div key={index} class="pattern-row">
          <select
            aria-label={series.place}
            value={filter.where}
            onChange={(event) => put(index, { where: event.currentTarget.value as Filter['where'] })}
          >
            <option value="title">{series.inTitle}</option>
            <option value="shortdescription">{series.inShort}</option>
            <option value="description">{series.inLong}</option>
          </select>
          <input
            aria-label={series.pattern}
            maxLength={250}
            value={filter.text}
            onInput={(event) => put(index, { text: event.currentTarget.value })}
          />
          <button
            type="button"
            class="bare"
            aria-label={series.removeFilter}
            onClick={() => onChange(filters.filter((_, at) => at !== index))}
          >
            <Icon of={X} />
          </button>
        </div>
      ))}
      {filters.length < maxFilters && (
        <button type="button" class="button" onClick={() => onChange([...filters, { where: 'title', text: '' }])}>
          <Icon of={Plus} size={16} /> {series.addFilter}
        </button>
      )}
    </fieldset>
  );
}
