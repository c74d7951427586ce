/** The settings in the order of their schema, for the pages that describe them. */
import { ConfigurationSchema, environmentNames } from '../src/config/config.ts';
import type { SettingSchema } from '../src/config/configuration-check.ts';

export interface Setting {
  /** `guide.history` */
  readonly name: string;
  readonly meaning: string;
  /** What it may be, a word each: the words allowed, or one of `0 to 65535`, `list`, `text`. */
  readonly values: readonly string[];
  /** Whether `values` are to be typed as they are. */
  readonly areWords: boolean;
  /** JSON; empty if the description contains it. */
  readonly defaultText: string;
  /** The environment variable; empty if there is none. */
  readonly variable: string;
}

const variables = new Map([...environmentNames].map(([variable, setting]) => [setting, variable]));

export const settings: readonly Setting[] = settingsOf(ConfigurationSchema as unknown as SettingSchema, '');

function settingsOf(schema: SettingSchema, prefix: string): Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([last, setting]) => {
    const name = prefix + last;
    if (setting.properties) return settingsOf(setting, `${name}.`);
    const isUnset = setting.default === undefined || setting.default === '';
    return [
      {
        name,
        meaning: `${setting.description ?? ''}${setting.fileOnly ? ' (in the file only)' : ''}`,
        ...valuesOf(setting),
        defaultText: isUnset ? '' : JSON.stringify(setting.default),
        variable: variables.get(name) ?? '',
      },
    ];
  });
}

function valuesOf(setting: SettingSchema): Pick<Setting, 'values' | 'areWords'> {
  if (setting.enum) return { values: setting.enum, areWords: true };
  if (setting.type === 'boolean') return { values: ['true', 'false'], areWords: true };
  if (setting.type === 'integer') return { values: [`${setting.minimum} to ${setting.maximum}`], areWords: false };
  return { values: [setting.type === 'array' ? 'list' : 'text'], areWords: false };
}
