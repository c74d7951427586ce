/** receiverd(1) and receiverd.yaml(5), in the language of man(7). */
import type { Argument, Option } from 'commander';
import { commandLine } from '../src/program/command-line.ts';
import { commands, type ListedCommand } from './commands.ts';
import { type Setting, settings } from './settings.ts';

/** receiverd(1): every command and its options. */
export function commandPage(): string {
  return page('receiverd', 1, [
    ['NAME', [`receiverd \\- ${text(firstSentence(commandLine.description()))}`]],
    ['SYNOPSIS', ['.B receiverd', '.I command', '[\\fIoption\\fR ...]']],
    ['DESCRIPTION', [text(commandLine.description())]],
    ['COMMANDS', commands.filter(({ next }) => next.length === 0).flatMap(commandSection)],
    [
      'EXIT STATUS',
      [
        ...entry('0', 'done; for \\fBepg search\\fR also if nothing was found'),
        ...entry('1', 'failed, and standard error says why'),
        ...entry('130, 143', 'a command was stopped by SIGINT or SIGTERM'),
        ...entry('141', 'the reader of the output has closed it'),
      ],
    ],
    [
      'SIGNALS',
      [
        ...entry('SIGINT, SIGTERM', '\\fBstart\\fR ends, after it has written recordings and guide'),
        ...entry('SIGHUP', '\\fBstart\\fR reads service lists, settings and configuration again'),
      ],
    ],
    [
      'FILES',
      [
        ...entry('/etc/receiverd/receiverd.yaml', 'settings of the service of a Debian package'),
        ...entry('/etc/default/receiverd', 'its environment; need not exist'),
        ...entry('/var/lib/receiverd', 'its state and guide, and in \\fImovie\\fR its recordings'),
        ...entry('~/.local/share/receiverd', 'the same of a receiver that a user starts'),
      ],
    ],
    ['SEE ALSO', ['.BR receiverd.yaml (5)']],
  ]);
}

/** receiverd.yaml(5): every setting. */
export function settingsPage(): string {
  return page('receiverd.yaml', 5, [
    ['NAME', ['receiverd.yaml \\- settings of receiverd']],
    [
      'DESCRIPTION',
      [
        'The file that \\fBreceiverd \\-\\-config\\fR names, in YAML. Every setting has a default. The environment overrides',
        'the file, and flags override the environment. A value that is wrong is reported with its line, and nothing starts.',
        '.PP',
        'A dot in a name below means a group:',
        '.PP',
        '.EX',
        'tuners: [dvb:0]',
        'guide:',
        '  collectEvery: 7200',
        '.EE',
      ],
    ],
    ['SETTINGS', settings.flatMap(settingEntry)],
    ['SEE ALSO', ['.BR receiverd (1)']],
  ]);
}

function page(name: string, section: number, sections: readonly (readonly [string, readonly string[]])[]): string {
  return [
    `.TH ${name.toUpperCase()} ${section} "" "receiverd ${commandLine.version()}"`,
    ...sections.flatMap(([title, lines]) => [`.SH ${title}`, ...lines]),
    '',
  ].join('\n');
}

function commandSection({ path, about, options, values }: ListedCommand): string[] {
  const usage = values.map((value) => `\\fI${text(value.name())}\\fR`);
  const described = values.filter(({ description }) => description !== '');
  return [
    `.SS ${['receiverd', ...path].join(' ')} ${usage.join(' ')}`.trimEnd(),
    text(sentence(about)),
    ...described.flatMap((value: Argument) => entry(`\\fI${text(value.name())}\\fR`, text(value.description))),
    ...options.flatMap((option: Option) => entry(`\\fB${text(option.flags)}\\fR`, text(optionText(option)))),
  ];
}

function optionText({ description, argChoices, defaultValue }: Option): string {
  const notes = [argChoices?.join(', '), defaultValue !== undefined && `default ${defaultValue}`];
  const shown = notes.filter(Boolean).join('; ');
  return shown === '' ? description : `${description} (${shown})`;
}

function settingEntry({ name, meaning, values, defaultText, variable }: Setting): string[] {
  const facts = [
    `Values: ${values.join(', ')}.`,
    defaultText && `Default: ${defaultText.replace(/,/g, ', ')}.`,
    variable && `Environment: ${variable}.`,
  ];
  return entry(
    `\\fB${text(name)}\\fR`,
    `${text(sentence(meaning.replace(/`/g, '')))} ${text(facts.filter(Boolean).join(' '))}`,
  );
}

function entry(term: string, meaning: string): string[] {
  return ['.TP', term.startsWith('.') ? `\\&${term}` : term, meaning];
}

function firstSentence(words: string): string {
  return words.replace(/[:.].*/, '').replace(/^./, (letter) => letter.toLowerCase());
}

function sentence(words: string): string {
  return `${words.replace(/^./, (letter) => letter.toUpperCase())}.`.replace(/\.\.$/, '.');
}

/** As plain text of roff, without the names of our pages. */
function text(words: string): string {
  return words
    .replace(/ \(docs\/\S+\)/g, '')
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/’/g, '\\(cq')
    .replace(/^[.']/, '\\&$&');
}
