/** Form fields of several pages: text, channel, recording folder, days of the week, choices. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Options } from './options.tsx';
import { now, receiver } from './receiver.ts';
import { differences, fullName } from './same-names.ts';
import { timeOf, weekdays } from './time.ts';
import { useResponse } from './use-response.ts';
import { sentence, words } from './words.ts';

/**
 * Properties of a field whose value is taken on `change`, when the user leaves it. Until then the field keeps the typed text
 * across re-renders.
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
      {/* Preact's types declare each kind of input separately, but not a union of them. */}
      <input type={type as 'text'} {...rest} {...useTyped(value, onTake)} />
    </label>
  );
}

interface ChannelPickerProps {
  readonly label: string;
  /** Service reference; empty for none. */
  readonly value: string;
  /** Label of the choice of none; undefined if a choice is required. */
  readonly none?: string;
  readonly disabled?: boolean;
  readonly onPick: (reference: string) => void;
}

/** All channels by bouquet, each in the first bouquet that has it. A service in no bouquet is shown by its reference. */
export function ChannelPicker({ label, value, none, disabled = false, onPick }: ChannelPickerProps) {
  const { value: bouquets } = useResponse(loadChannels, [], ['services']);
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
            <Options of={channels.map((channel) => [channel.reference, fullName(channel)])} />
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** All channels by bouquet, each in the first bouquet that has it, with what differs from others of its name. */
export async function loadChannels(signal: AbortSignal) {
  const types = ['tv', 'radio'] as const;
  const lists = await Promise.all(types.map((type) => receiver.get('/api/getallservices', { type }, { signal })));
  const listed = new Set<string>();
  const isNew = (reference: string) => !listed.has(reference) && listed.add(reference);
  const bouquets = lists
    .flatMap(({ services }) => services)
    .map(({ servicename, subservices }) => ({
      name: servicename,
      channels: subservices
        .filter(({ pos, servicereference }) => pos > 0 && isNew(servicereference))
        .map(({ servicereference: reference, servicename: name, pos, channel }) => ({
          reference,
          name,
          number: channel ?? `${pos}`,
        })),
    }))
    .filter(({ channels }) => channels.length > 0);
  const different = differences(bouquets.flatMap(({ channels }) => channels));
  return bouquets.map(({ name, channels }) => ({
    name,
    channels: channels.map((channel) => ({ ...channel, difference: different.get(channel.reference) ?? '' })),
  }));
}

/** Value of the choice that creates a folder. It cannot be a path. */
const newFolderValue = 'new';

interface FolderPickerProps {
  readonly label: ComponentChildren;
  /** Absolute path; empty for none. */
  readonly value: string;
  /** Label of the choice of none; undefined if a choice is required. */
  readonly none?: string;
  /** Further folders; only those within the locations are offered. */
  readonly more?: readonly string[];
  /** A folder to leave out: the current one. */
  readonly besides?: string;
  /** Parent of a new folder; undefined if none may be created. The caller creates the folder. */
  readonly within?: string | undefined;
  readonly onPick: (folder: string) => void;
}

export function FolderPicker({ label, value, none, more = [], besides, within, onPick }: FolderPickerProps) {
  const [isNew, setNew] = useState(false);
  const { value: answer } = useResponse((signal) => receiver.get('/api/getlocations', {}, { signal }), []);
  const locations = answer?.locations ?? [];
  const nested = more.filter((folder) => locations.some((location) => folder.startsWith(location)));
  const given = value && !isNew ? [value] : [];
  const known = [...new Set([...locations, ...nested, ...given])].filter((one) => one !== besides);
  const pick = (folder: string) => {
    setNew(folder === newFolderValue);
    onPick(folder === newFolderValue ? '' : folder);
  };
  const { newFolder } = words.value.common;
  return (
    <label>
      {label}
      <select
        value={isNew ? newFolderValue : value}
        required={none === undefined}
        onChange={(event) => pick(event.currentTarget.value)}
      >
        {none === undefined ? value === '' && <option value="" /> : <option value="">{none}</option>}
        <Options of={known.map((folder) => [folder, folder])} />
        {within !== undefined && <option value={newFolderValue}>{newFolder}…</option>}
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
  /** Called with the bit of the day that was toggled. */
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

/** A hint if the browser is in another time zone: repeating timers follow the receiver's local time. */
function OtherClock() {
  const { value } = useResponse((signal) => receiver.get('/api/currenttime', {}, { signal }), []);
  if (value === undefined) return null;
  const [hours = 0, minutes = 0] = value.time.split(':').map(Number);
  const here = new Date(now() * 1000);
  const apart = Math.abs(hours * 60 + minutes - here.getHours() * 60 - here.getMinutes());
  // Tolerates the age of the response.
  if (Math.min(apart, 1440 - apart) < 3) return null;
  const { otherClock, ofOtherClock } = words.value.time;
  const shown = timeOf(here.setHours(hours, minutes) / 1000);
  return (
    <p class="hint">
      {sentence(otherClock(shown))} {ofOtherClock}
    </p>
  );
}

/** `Mon Tue`, or the text for every day; empty without days. */
export function daysOf(mask: number): string {
  if (mask === 127) return words.value.common.everyDay;
  return weekdays()
    .flatMap(({ day, name }) => (mask & (1 << day) ? name : []))
    .join(' ');
}

interface ChoiceProps<Word extends string> {
  readonly label: string;
  readonly value: Word;
  /** Each value with its label. */
  readonly options: readonly (readonly [word: Word, text: string])[];
  readonly onPick: (word: Word) => void;
}

/** A choice of one value. */
export function Choice<Word extends string>({ label, value, options, onPick }: ChoiceProps<Word>) {
  const pick = (index: number) => {
    const [word] = options[index] ?? [];
    if (word !== undefined) onPick(word);
  };
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => pick(event.currentTarget.selectedIndex)}>
        <Options of={options} />
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
