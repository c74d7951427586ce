/** Completions for bash, zsh and fish. */
import type { Argument, Option } from 'commander';
import { commands, isPath, type ListedCommand, needsValue } from './commands.ts';

export function completions(): Readonly<Record<string, string>> {
  return {
    'completions/receiverd': bash(),
    'completions/_receiverd': zsh(),
    'completions/receiverd.fish': fish(),
  };
}

const flagsOf = ({ options }: ListedCommand) =>
  options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));

/** In single quotes for a shell. */
const quoted = (words: string) => `'${words.replace(/'/g, "'\\''")}'`;

function bash(): string {
  const key = ({ path }: ListedCommand) => path.join(' ');
  const valueCases = commands.flatMap((command) =>
    command.options.filter(needsValue).map((option) => {
      const words = option.argChoices && `COMPREPLY=($(compgen -W ${quoted(option.argChoices.join(' '))} -- "$word"))`;
      return `    '${key(command)} ${option.long}') ${words ?? (isPath(option) ? 'compopt -o default' : ':')}; return ;;`;
    }),
  );
  const wordCases = commands.map((command) => {
    const words = [...command.next.map(([name]) => name), ...flagsOf(command)].join(' ');
    const files = command.values.some(isPath) ? '; compopt -o default' : '';
    return `    '${key(command)}') COMPREPLY=($(compgen -W ${quoted(words)} -- "$word"))${files} ;;`;
  });
  return `# bash completion of receiverd
_receiverd() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command= each
  COMPREPLY=()
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case "\${command:+$command }$each" in
      ${commands
        .slice(1)
        .map((command) => quoted(key(command)))
        .join(' | ')})
        command=\${command:+$command }$each ;;
    esac
  done
  case "$command $before" in
${valueCases.join('\n')}
  esac
  case "$command" in
${wordCases.join('\n')}
  esac
}
complete -F _receiverd receiverd
`;
}

function zsh(): string {
  const name = ({ path }: ListedCommand) => ['_receiverd', ...path].join('_');
  const inBrackets = (words: string) => words.replace(/[[\]:\\]/g, '\\$&');
  const value = (one: Option | Argument) =>
    one.argChoices ? `(${one.argChoices.join(' ')})` : isPath(one) ? '_files' : ' ';
  const option = (one: Option) => {
    const after = needsValue(one) || one.optional ? `${one.optional ? '::' : ':'}value:${value(one)}` : '';
    return [one.short, one.long]
      .filter((flag) => flag !== undefined)
      .map((flag) => quoted(`${one.variadic ? '*' : ''}${flag}[${inBrackets(one.description)}]${after}`));
  };
  const functions = commands.map((command) => {
    const options = command.options.flatMap(option);
    if (command.next.length === 0) {
      const values = command.values.map((one) => quoted(`:${one.name()}:${value(one)}`));
      return `${name(command)}() {\n  _arguments ${[...options, ...values].join(' \\\n    ')}\n}`;
    }
    const next = command.next.map(([word, about]) => quoted(`${word}:${about.replace(/:/g, '\\:')}`));
    return `${name(command)}() {
  local curcontext=$curcontext state line
  local -a next=(${next.join(' \\\n    ')})
  _arguments -C ${[...options, "': :->next'", "'*:: :->rest'"].join(' \\\n    ')}
  case $state in
    next) _describe command next ;;
    rest) (( $+functions[${name(command)}_$line[1]] )) && ${name(command)}_$line[1] ;;
  esac
}`;
  });
  return `#compdef receiverd\n${functions.join('\n')}\n_receiverd "$@"\n`;
}

function fish(): string {
  const seen = (path: readonly string[]) => path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const lines = commands.flatMap((command) => {
    const names = command.next.map(([name]) => name);
    const none = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`];
    const line = `complete -c receiverd -n ${quoted([...seen(command.path), ...none].join('; and ') || 'true')}`;
    const about = (words: string) => `-d ${quoted(words)}`;
    return [
      ...command.next.map(([name, words]) => `${line} -a ${name} ${about(words)}`),
      ...(command.values.some(isPath) ? [`${line} -F`] : []),
      ...command.options.map((option) => {
        const value = option.argChoices ? `-x -a ${quoted(option.argChoices.join(' '))}` : isPath(option) ? '-r' : '-x';
        const flags = [option.short && `-s ${option.short.slice(1)}`, option.long && `-l ${option.long.slice(2)}`];
        const after = needsValue(option) ? [value, ...(isPath(option) ? ['-F'] : [])] : [];
        return [line, ...flags.filter(Boolean), ...after, about(option.description)].join(' ');
      }),
    ];
  });
  return `# fish completion of receiverd\ncomplete -c receiverd -f\n${lines.join('\n')}\n`;
}
