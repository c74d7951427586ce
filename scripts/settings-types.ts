/**
 * Prints the declarations of src/library/settings.ts for the package, out of the schema: in plain types, since the
 * schema's library is not beside it.
 */
import { ConfigurationSchema } from '../src/config/config.ts';
import type { SettingSchema } from '../src/config/configuration-check.ts';

const lineWidth = 120;

function settingsTypes(): string {
  return [
    '/** What a settings file may contain; docs/configuration.md has the bounds and defaults. */',
    'export interface Settings {',
    ...members(ConfigurationSchema as unknown as SettingSchema, '  '),
    '}',
    '',
  ].join('\n');
}

function members({ properties = {} }: SettingSchema, indent: string): string[] {
  return Object.entries(properties).flatMap(([name, setting]) =>
    setting.properties
      ? [`${indent}readonly ${name}?: {`, ...members(setting, `${indent}  `), `${indent}};`]
      : [...comment(setting.description ?? '', indent), `${indent}readonly ${name}?: ${typeOf(setting)};`],
  );
}

/** On one line, or wrapped if it is too long for one. */
function comment(text: string, indent: string): string[] {
  const line = `${indent}/** ${text} */`;
  if (line.length <= lineWidth) return [line];
  const lines = [`${indent} *`];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= lineWidth) lines[lines.length - 1] = longer;
    else lines.push(`${indent} * ${word}`);
  }
  return [`${indent}/**`, ...lines, `${indent} */`];
}

function typeOf({ enum: words, type, items }: SettingSchema): string {
  if (words) return words.map((word) => `'${word}'`).join(' | ');
  // Mutable, as in the schema.
  if (items) return `${items.enum ? `(${typeOf(items)})` : typeOf(items)}[]`;
  return type === 'integer' ? 'number' : (type ?? 'unknown');
}

process.stdout.write(settingsTypes());
