/** Fields of forms that several pages have: what is typed, a channel, a recording folder, days of the week. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { now, receiver } from './receiver.ts';
import { weekdays } from './time.ts';
import { useAnswer } from './use-answer.ts';
import { words } from './words.ts';

/**
 * The properties of a field that is taken when it is left. Until then it keeps what is typed, although the page is drawn
 * again: a clock ticks, another app has changed something.
 */
export function useTyped(value: string, onTake: (text: string) => void) {
  const [typed, setTyped] = useState<string>();
  type Typing = TargetedEvent<HTMLInputElement | HTMLTextAreaElement>;
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: Typing) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: Typing) => onTake(currentTarget.value),
    onBlur: () => setTyped(undefined),
  };
}

interface TypedProps {
  readonly label: string;
  readonly type?: 'text' | 'number' | 'time' | 'datetime-local';
  readonly value: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly min?: number | string;
  readonly max?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly onTake: (text: string) => void;
}

export function Typed({ label, type = 'text', value, onTake, ...rest }: TypedProps) {
  return (
    <label>
      {label}
      {/* Preact declares each kind of input apart, and none that is one of several. */}
      <input type={type as 'text'} {...rest} {...useTyped(value, onTake)} />
    </label>
  );
}

interface ChannelPickerProps {
  readonly label: string;
  /** Service reference; empty for none. */
  readonly value: string;
  /** What none means; absent: there must be one. */
  readonly none?: string;
  readonly disabled?: boolean;
  readonly onPick: (reference: string) => void;
}

/** A list of all channels by bouquet, each in the first that has it. A service that is in none keeps its reference. */
export function ChannelPicker({ label, value, none, disabled = false, onPick }: ChannelPickerProps) {
  const { value: bouquets } = useAnswer(loadChannels, [], ['services']);
  const isListed = bouquets?.some(({ channels }) => channels.some(({ reference }) => reference === value)) ?? false;
  return (
    <label>
      {label}
      <select
        value={value}
        disabled={disabled}
        required={none === undefined}
        onChange={(event) => onPick(event.currentTarget.value)}
      >
        {none === undefined ? value === '' && <option value="" /> : <option value="">{none}</option>}
        {value !== '' && !isListed && <option value={value}>{value}</option>}
        {bouquets?.map(({ name, channels }) => (
          <optgroup key={name} label={name}>
            {channels.map(({ reference, name: channel }) => (
              <option key={reference} value={reference}>
                {channel}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

async function loadChannels(signal: AbortSignal) {
  const types = ['tv', 'radio'] as const;
  const lists = await Promise.all(types.map((type) => receiver.get('/api/getallservices', { type }, { signal })));
  const listed = new Set<string>();
  const isNew = (reference: string) => !listed.has(reference) && listed.add(reference);
  return lists
    .flatMap(({ services }) => services)
    .map(({ servicename, subservices }) => ({
      name: servicename,
      channels: subservices
        .filter(({ pos, servicereference }) => pos > 0 && isNew(servicereference))
        .map(({ servicereference: reference, servicename: name }) => ({ reference, name })),
    }))
    .filter(({ channels }) => channels.length > 0);
}

/** No path. */
const makeNew = 'new';

interface FolderPickerProps {
  readonly label: ComponentChildren;
  /** Absolute path; empty for none. */
  readonly value: string;
  /** What none means; absent: there must be one. */
  readonly none?: string;
  /** Folders within the locations. */
  readonly more?: readonly string[];
  /** Where it is already. */
  readonly besides?: string;
  /** Where a new one may be made; whoever uses it makes it. */
  readonly within?: string | undefined;
  readonly onPick: (folder: string) => void;
}

export function FolderPicker({ label, value, none, more = [], besides, within, onPick }: FolderPickerProps) {
  const [isNew, setNew] = useState(false);
  const { value: answer } = useAnswer((signal) => receiver.get('/api/getlocations', {}, { signal }), []);
  const locations = answer?.locations ?? [];
  const reachable = more.filter((folder) => locations.some((location) => folder.startsWith(location)));
  const given = value && !isNew ? [value] : [];
  const known = [...new Set([...locations, ...reachable, ...given])].filter((one) => one !== besides);
  const pick = (folder: string) => {
    setNew(folder === makeNew);
    onPick(folder === makeNew ? '' : folder);
  };
  const { newFolder } = words.value.common;
  return (
    <label>
      {label}
      <select
        value={isNew ? makeNew : value}
        required={none === undefined}
        onChange={(event) => pick(event.currentTarget.value)}
      >
        {none === undefined ? value === '' && <option value="" /> : <option value="">{none}</option>}
        {known.map((folder) => (
          <option key={folder} value={folder}>
            {folder}
          </option>
        ))}
        {within !== undefined && <option value={makeNew}>{newFolder}…</option>}
      </select>
      {isNew && (
        <input
          required
          maxLength={100}
          pattern="[^\/.\s][^\/]*"
          aria-label={newFolder}
          placeholder={newFolder}
          onInput={({ currentTarget: { value: name, validity } }) =>
            onPick(name && validity.valid ? `${within}${name.trim()}/` : '')
          }
        />
      )}
    </label>
  );
}

interface DaysPickerProps {
  readonly label: string;
  /** Bit 0 Monday to bit 6 Sunday. */
  readonly mask: number;
  /** The day's bit has changed. */
  readonly onToggle: (bit: number) => void;
}

export function DaysPicker({ label, mask, onToggle }: DaysPickerProps) {
  return (
    <fieldset class="days-picker">
      <legend>{label}</legend>
      {weekdays().map(({ day, name }) => (
        <label key={day} class="choice">
          <input type="checkbox" checked={(mask & (1 << day)) !== 0} onChange={() => onToggle(1 << day)} />
          {name}
        </label>
      ))}
      <OtherClock />
    </fieldset>
  );
}

/** Repetition goes by the receiver's days and hours, which are others than those shown here in another time zone. */
function OtherClock() {
  const { value } = useAnswer((signal) => receiver.get('/api/currenttime', {}, { signal }), []);
  if (value === undefined) return null;
  const [hours = 0, minutes = 0] = value.time.split(':').map(Number);
  const here = new Date(now() * 1000);
  const apart = Math.abs(hours * 60 + minutes - here.getHours() * 60 - here.getMinutes());
  // A minute may have passed meanwhile.
  if (Math.min(apart, 1440 - apart) < 3) return null;
  return <p class="hint">{words.value.time.otherClock(value.time.slice(0, 5))}</p>;
}

/** `Mon Tue`, or the word for every day; empty for none. */
export function daysOf(mask: number): string {
  if (mask === 127) return words.value.common.everyDay;
  return weekdays()
    .flatMap(({ day, name }) => (mask & (1 << day) ? name : []))
    .join(' ');
}

interface ChoiceProps<Word extends string> {
  readonly label: string;
  readonly value: Word;
  /** Each word with what a person reads. */
  readonly options: readonly (readonly [word: Word, text: string])[];
  readonly onPick: (word: Word) => void;
}

/** One of several words. */
export function Choice<Word extends string>({ label, value, options, onPick }: ChoiceProps<Word>) {
  const pick = (index: number) => {
    const [word] = options[index] ?? [];
    if (word !== undefined) onPick(word);
  };
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => pick(event.currentTarget.selectedIndex)}>
        {options.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
