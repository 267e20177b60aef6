import type { Command, Option } from 'commander';

/** The supported shells. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

interface KnownOption {
  /** Names of the option, such as `-H` and `--header`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Values of the option: a list, files, or other values that cannot be completed. Undefined if it takes no value. */
  readonly value: readonly string[] | 'files' | 'other' | undefined;
}

interface KnownCommand {
  /** Words of the command, each after a space; '' for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly KnownOption[];
  /** Whether an argument of the command is a file. */
  readonly takesFiles: boolean;
  /** Values of its first argument, if they are limited. */
  readonly values: readonly string[];
}

/** Values of options by name, in addition to the choices that commander knows. */
type KnownValues = Readonly<Record<string, readonly string[]>>;

const isFile = (argument: string): boolean => /file|path|folder/.test(argument);

function optionOf({ short, long, description, required, optional, flags, argChoices }: Option, known: KnownValues) {
  const names = [short, long].filter((name) => name !== undefined);
  const values = argChoices ?? known[long ?? ''];
  const other = isFile(flags.slice(flags.indexOf('<'))) ? 'files' : 'other';
  return { names, description, value: required || optional ? (values ?? other) : undefined } satisfies KnownOption;
}

/** Returns a command and all its subcommands. */
function knownCommands(command: Command, known: KnownValues, path = ''): KnownCommand[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const options = new Set([...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]);
  const { registeredArguments } = command;
  return [
    {
      path,
      commands: children.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...options].map((option) => optionOf(option, known)),
      takesFiles: registeredArguments.some((argument) => isFile(argument.name())),
      values: registeredArguments[0]?.argChoices ?? [],
    },
    ...children.flatMap((child) => knownCommands(child, known, `${path} ${child.name()}`)),
  ];
}

/** Puts a text in single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the options of commands that take a value. */
const valuesOf = (commands: readonly KnownCommand[]) =>
  commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined ? [] : [{ after: names.map((name) => `${path} ${name}`), value }],
    ),
  );

const paths = (commands: readonly KnownCommand[]): readonly string[] => commands.flatMap(({ path }) => path || []);

/** Returns the words of a command, without descriptions. */
const wordsOf = ({ commands, options, values }: KnownCommand): string =>
  [...commands.map(({ name }) => name), ...values, ...options.flatMap(({ names }) => names)].join(' ');

function bash(commands: readonly KnownCommand[]): string {
  const values = valuesOf(commands).map(({ after, value }) => {
    const words = typeof value === 'string' ? '' : value.join(' ');
    const reply = words === '' ? '' : ` COMPREPLY=($(compgen -W ${quoted(words)} -- "$word"));`;
    return `    ${after.map(quoted).join('|')})${reply}${value === 'files' ? '' : ' compopt +o default 2>/dev/null;'} return ;;`;
  });
  return `# Completion of a2a-gateway for bash: source <(a2a-gateway completion bash)
_a2a_gateway() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${paths(commands).map(quoted).join('|')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $before" in
${values.join('\n')}
  esac
  case "$path" in
${commands.map((command) => `    ${quoted(command.path)}) words=${quoted(wordsOf(command))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _a2a_gateway a2a-gateway
`;
}

/** Formats a word with its description for zsh. */
const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description}`);

function zsh(commands: readonly KnownCommand[]): string {
  const values = valuesOf(commands).map(({ after, value }) => {
    const act = value === 'files' ? '_files' : value === 'other' ? ':' : `compadd -- ${value.map(quoted).join(' ')}`;
    return `    ${after.map(quoted).join('|')}) ${act}; return ;;`;
  });
  const cases = commands.map(({ path, commands: children, options, takesFiles, values: first }) => {
    const words = [
      ...children.map(({ name, description }) => described(name, description)),
      ...first.map((value) => described(value, '')),
    ];
    const flags = options.flatMap(({ names, description }) => names.map((name) => described(name, description)));
    return `    ${quoted(path)})\n      words_=(${words.join(' ')})\n      flags=(${flags.join(' ')})\n      files=${takesFiles} ;;`;
  });
  return `#compdef a2a-gateway
# Completion of a2a-gateway for zsh: source <(a2a-gateway completion zsh)
_a2a_gateway() {
  local at='' files=false i
  local -a words_ flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${paths(commands).map(quoted).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  (( \${#words_} )) && _describe -t commands command words_
  [[ $files == true ]] && _files
  _describe -o -t options option flags
}
if [[ \${funcstack[1]} == _a2a_gateway ]]; then _a2a_gateway "$@"; else compdef _a2a_gateway a2a-gateway; fi
`;
}

/** Puts a text in single quotes for fish, in which a backslash escapes too. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(commands: readonly KnownCommand[]): string {
  const lines = commands.flatMap(({ path, commands: children, options, takesFiles, values }) => {
    const at = `complete -c a2a-gateway -n ${fishQuoted(`__a2a_gateway_at ${fishQuoted(path)}`)}`;
    const words = [...children, ...values.map((name) => ({ name, description: '' }))];
    return [
      ...(takesFiles ? [`${at} -F`] : []),
      ...words.map(({ name, description }) => `${at} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`),
      ...options.map(({ names, description, value }) => {
        const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
        const takes = value === undefined ? '' : value === 'files' ? ' -r -F' : ' -x';
        const choices = Array.isArray(value) ? ` -a ${fishQuoted(value.join(' '))}` : '';
        return `${at} ${flags.join(' ')}${takes}${choices} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  return `# Completion of a2a-gateway for fish: a2a-gateway completion fish | source
function __a2a_gateway_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${paths(commands).map(fishQuoted).join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c a2a-gateway -f
${lines.join('\n')}
`;
}

const scripts: Readonly<Record<Shell, (commands: readonly KnownCommand[]) => string>> = { bash, zsh, fish };

/** Returns the completion script for a shell, with the commands, options and choices of the program. */
export const completionScript = (shell: Shell, program: Command, known: KnownValues = {}): string =>
  scripts[shell](knownCommands(program, known));
