/** The texts of settings: complete in each language, with a group and a card for each setting of the receiver. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigurationSchema } from '../../src/config/config.ts';
import type { SettingSchema } from '../../src/config/configuration-check.ts';
import { chosenSettings } from '../../src/config/enigma2-setting-keys.ts';
import { groups, looks } from '../../src/ui/pages/settings/arrangement.ts';
import english, { type Texts } from '../../src/ui/pages/settings/languages/en.ts';

const schemas = new Map([
  ...Object.entries(chosenSettings),
  ...leavesOf(ConfigurationSchema as unknown as SettingSchema),
]);
const names = [...schemas.keys()].sort();

function leavesOf({ properties = {} }: SettingSchema, prefix = ''): [string, SettingSchema][] {
  return Object.entries(properties).flatMap(([last, schema]): [string, SettingSchema][] =>
    schema.properties ? leavesOf(schema, `${prefix}${last}.`) : [[prefix + last, schema]],
  );
}

describe('the arrangement of settings', () => {
  const cards = Object.values(groups).flatMap((group) => Object.entries(group));

  it('has each setting of the receiver once', () => {
    expect(cards.flatMap(([, members]) => members).sort()).toEqual(names);
  });

  it('has each card once, and settings in each but the last, which is for those of a newer receiver', () => {
    expect(cards.map(([card]) => card).sort()).toEqual(Object.keys(english.cards).sort());
    expect(cards.filter(([, members]) => members.length === 0).map(([card]) => card)).toEqual(['others']);
    expect(cards.at(-1)?.[0]).toBe('others');
  });

  it('shows limits and defaults of numbers as whole units', () => {
    for (const [name, { factor = 1 }] of Object.entries(looks)) {
      const { type, default: value } = schemas.get(name) ?? {};
      if (type === 'integer') expect(Number(value) % factor, name).toBe(0);
      else expect(factor, name).toBe(1);
    }
  });
});

const folder = new URL('../../src/ui/pages/settings/languages/', import.meta.url);

describe.each(readdirSync(folder))('%s', async (file) => {
  const { default: texts } = (await import(new URL(file, folder).href)) as { default: Texts };
  const isEnglish = texts === english;

  it('has a name, a sentence and search words for each setting of the receiver', () => {
    expect(Object.keys(texts.settings).sort()).toEqual(names);
    for (const [name, text] of Object.entries(texts.settings)) {
      expect(text, name).toHaveLength(3);
      const [title, about, search] = text as readonly string[];
      expect(title, name).toMatch(/^\S.*[^.\s]$/);
      expect(about, name).toMatch(/^\S.*\.$/);
      expect(search, name).toMatch(/^\S.*\S$/);
    }
  });

  it('has a different name for each setting', () => {
    const titles = Object.values(texts.settings).map(([title]) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it.skipIf(isEnglish)('has no sentence in English', () => {
    const same = names.filter((name) => sentenceOf(texts, name) === sentenceOf(english, name));
    expect(same).toEqual([]);
  });

  it('has a label for each choice', () => {
    const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = texts.choices;
    const labelled = (name: string) => Object.keys(choices[name] ?? {}).sort();
    for (const [name, { enum: values }] of schemas)
      if (values) expect(labelled(name), name).toEqual([...values].sort());
    for (const [name, { suggestions }] of Object.entries(looks))
      if (suggestions) expect(labelled(name), name).toEqual([...suggestions].sort());
    for (const label of Object.values(choices).flatMap((labels) => Object.values(labels))) expect(label).toMatch(/\S/);
  });

  it.each(['page', 'groups', 'cards'] as const)('has every text of %s', (section) => {
    const [own, first]: Readonly<Record<string, unknown>>[] = [texts[section], english[section]];
    expect(Object.keys(own ?? {}).sort()).toEqual(Object.keys(first ?? {}).sort());
    for (const [key, text] of Object.entries(own ?? {})) {
      expect(typeof text, key).toBe(typeof first?.[key]);
      if (typeof text === 'string') expect(text, key).toMatch(/\S/);
    }
  });
});

const sentenceOf = ({ settings }: Texts, name: string) => settings[name as keyof Texts['settings']][1];
