/** docs/configuration.md, from the schema. */
import { type Setting, settings } from './settings.ts';

export function configurationPage(): string {
  return [
    '# Configuration',
    '',
    'Every setting has a default, so `receiverd start` needs no configuration. Later sources override earlier ones: default,',
    'file (`--config FILE`, YAML; without it `receiverd.yaml` in the data folder, if it is there), environment, flags.',
    '',
    'Every list and text has a maximum length, which the page *Settings* and the error message of a longer one name; tuners,',
    'for example, 64 entries.',
    '',
    'The page *Settings* of the [web page](web-page.md) shows all of them with their values and where these come from, and',
    'writes changes into the file; so does `/api/configuration`. Before each of these changes, the file is kept beside it as',
    '`receiverd.yaml.bak`. If the file cannot be read, or is not YAML, the receiver starts with that copy, and the log and',
    '`receiverd doctor` say so. The next change on the page writes the file again, and keeps the unreadable one as',
    '`receiverd.yaml.damaged`. Values that are wrong still keep it from starting.',
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
    ...settings.map(row),
    '',
    'Lists in the environment are separated by commas. Flags: `receiverd start --help`.',
    '',
  ].join('\n');
}

function row({ name, meaning, values, areWords, defaultText, variable }: Setting): string {
  const code = (text: string) => (text === '' ? '' : `\`${text}\``);
  const shown = areWords ? values.map(code) : values;
  return `| ${[code(name), meaning, shown.join(', '), code(defaultText), code(variable)].join(' | ')} |`;
}
