/** docs/configuration.md, from the schema. */
import { ConfigurationSchema, environmentNames } from '../src/config.ts';
import type { SettingSchema } from '../src/configuration-check.ts';

export function configurationPage(): string {
  const variables = new Map([...environmentNames].map(([variable, setting]) => [setting, variable]));
  return [
    '# Configuration',
    '',
    'Every setting has a default, so `receiverd start` needs no configuration. Later sources override earlier ones: default,',
    'file (`--config FILE`, YAML), environment, flags.',
    '',
    'Every value that takes effect is checked at start; one that a later source overrides is not. Unknown settings in the',
    'file and misspelt variables are always reported. Each problem is reported with its place:',
    '',
    '```console',
    '$ receiverd start --config receiverd.yaml',
    'receiverd: receiverd.yaml:3: unknown setting "tunners"; did you mean "tuners"?',
    'receiverd: receiverd.yaml:7: guide.collectEvery is "daily"; it must be a whole number from 60 to 86400',
    'receiverd: RECEIVERD_CLOCK is "sundial"; it must be one of system, broadcast',
    '```',
    '',
    '```yaml',
    '# receiverd.yaml',
    'tuners: ["file:/srv/capture.ts"]',
    'clock: broadcast',
    'locations: [/media/hdd/movie]',
    'guide:',
    '  collectEvery: 7200',
    '```',
    '',
    '| setting | meaning | values | default | environment |',
    '|---|---|---|---|---|',
    ...rows(ConfigurationSchema as unknown as SettingSchema, '', variables),
    '',
    'Lists in the environment are separated by commas. Flags: `receiverd start --help`.',
    '',
  ].join('\n');
}

function rows(schema: SettingSchema, prefix: string, variables: ReadonlyMap<string, string>): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, setting]) => {
    if (setting.properties) return rows(setting, `${prefix}${name}.`, variables);
    const variable = variables.get(`${prefix}${name}`);
    const preset =
      setting.default === undefined || setting.default === '' ? '' : `\`${JSON.stringify(setting.default)}\``;
    const cells = [
      `\`${prefix}${name}\``,
      setting.description ?? '',
      values(setting),
      preset,
      variable ? `\`${variable}\`` : '',
    ];
    return [`| ${cells.join(' | ')} |`];
  });
}

function values(setting: SettingSchema): string {
  if (setting.enum) return setting.enum.map((value) => `\`${value}\``).join(', ');
  if (setting.type === 'integer') return `${setting.minimum} to ${setting.maximum}`;
  if (setting.type === 'boolean') return '`true`, `false`';
  return setting.type === 'array' ? 'list' : 'text';
}
