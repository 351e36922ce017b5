import type { CompletedCommand } from './tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The script that a shell sources. It contains only words of the program. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** For bash 3.2 and later, as macOS has it: no associative arrays, and no package bash-completion. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ path }) => `    '${path}') ;;`);
  const words = commands.map(({ path, commands: below, options, values }) => {
    const all = [...below.map(({ name }) => name), ...values];
    return `    '${path}') commands='${all.join(' ')}'; options='${options.map(({ name }) => name).join(' ')}' ;;`;
  });
  const { chosen, files, others } = optionValues(commands);
  const values = [
    ...chosen.map(([where, known]) => `    '${where}') COMPREPLY=($(compgen -W '${known}' -- "$current")); return ;;`),
    `    ${anyOf(files, '*" "')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`,
    `    ${anyOf(others, '*" "')}) return ;;`,
  ];
  // Bash splits --state=failed into three words.
  return `# callout completion bash
_callout_is_command() {
  case "$1" in
${names.join('\n')}
    *) return 1 ;;
  esac
}
_callout() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='callout' word value='' commands='' options=''
  local i
  if [ "$current" = '=' ]; then current=''; elif [ "$previous" = '=' ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [ "$word" = '=' ]; then continue; fi
    if [ -n "$value" ]; then value=''; continue; fi
    case "$word" in
      ${anyOf([...files, ...others, ...chosenNames(commands)])}) value=1 ;;
      *) if _callout_is_command "$at $word"; then at="$at $word"; fi ;;
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;
  esac
}
complete -F _callout callout
`;
}

/** Zsh 5. Its `_describe` shows each word with its description. */
function zshScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, commands: below, options, values }) => {
    const all = [...below.map(({ name, description }) => zshWord(name, description)), ...values.map(quoted)];
    const described = options.map(({ name, description }) => zshWord(name, description));
    return `    '${path}') commands=(${all.join(' ')}); options=(${described.join(' ')}) ;;`;
  });
  const { chosen, files, others } = optionValues(commands);
  const values = [
    ...chosen.map(([where, known]) => `    '${where}') compadd -- ${known}; return ;;`),
    `    ${anyOf(files, '*" "')}) _files; return ;;`,
    `    ${anyOf(others, '*" "')}) _message 'value'; return ;;`,
  ];
  return `#compdef callout
# callout completion zsh
_callout() {
  local -a known valued commands options
  local at='callout' word value='' previous="\${words[CURRENT-1]}"
  known=(${commands.map(({ path }) => `'${path}'`).join(' ')})
  valued=(${[...files, ...others, ...chosenNames(commands)].join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$value" ]]; then value=''
    elif (( \${valued[(Ie)$word]} )); then value=1
    elif (( \${known[(Ie)$at $word]} )); then at="$at $word"; fi
  done
  if [[ "$PREFIX" == --*=* ]]; then previous="\${PREFIX%%=*}"; compset -P '*='; fi
  case "$at $previous" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then _describe -o 'option' options; else _describe 'command' commands; fi
}
if [ "$funcstack[1]" = "_callout" ]; then _callout "$@"; else compdef _callout callout; fi
`;
}

const zshWord = (name: string, description: string) => quoted(`${name.replaceAll(':', '\\:')}:${description}`);

/** Fish 3. It completes the values of options itself, and evaluates the condition of each line once. */
function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, commands: below, options, values }) => {
    const words = path.split(' ').slice(1);
    const condition = `-n ${quoted(`__callout_at ${words.join(' ')}`.trim())}`;
    return [
      ...below.map(
        ({ name, description }) => `complete -c callout ${condition} -f -a ${name} -d ${quoted(description)}`,
      ),
      ...(values.length > 0 ? [`complete -c callout ${condition} -f -a ${quoted(values.join(' '))}`] : []),
      ...options.map(({ name, description, takesValue, takesFile, values: known }) => {
        const value = takesFile
          ? '-r -F'
          : known.length > 0
            ? `-x -a ${quoted(known.join(' '))}`
            : takesValue
              ? '-x'
              : '-f';
        return `complete -c callout ${condition} -l ${name.slice(2)} ${value} -d ${quoted(description)}`;
      }),
    ];
  });
  const { files, others } = optionValues(commands);
  const known = commands.map(({ path }) => quoted(path.split(' ').slice(1).join(' '))).filter((path) => path !== "''");
  return `# callout completion fish
set -g __callout_known ${known.join(' ')}
set -g __callout_valued ${[...files, ...others, ...chosenNames(commands)].join(' ')}
function __callout_at
    set -l at
    set -l value
    for word in (commandline -opc)[2..-1]
        set -l path $at $word
        if test -n "$value"
            set value
        else if contains -- $word $__callout_valued
            set value 1
        else if contains -- "$path" $__callout_known
            set at $path
        end
    end
    test "$at" = "$argv"
end
complete -c callout -f
${lines.join('\n')}
`;
}

/** The options with a value, by the kind of the value. */
function optionValues(commands: readonly CompletedCommand[]) {
  const all = commands.flatMap(({ path, options }) => options.map((option) => ({ ...option, path })));
  const unique = (options: readonly { readonly name: string }[]) => [...new Set(options.map(({ name }) => name))];
  return {
    /** `callout redeliver --state`, and the values that it has there. */
    chosen: all
      .filter(({ values }) => values.length > 0)
      .map(({ path, name, values }) => [`${path} ${name}`, values.join(' ')] as const),
    files: unique(all.filter(({ takesFile }) => takesFile)),
    /** Their values are the caller's. */
    others: unique(all.filter(({ takesValue, takesFile, values }) => takesValue && !takesFile && values.length === 0)),
  };
}

const chosenNames = (commands: readonly CompletedCommand[]) => [
  ...new Set(
    commands.flatMap(({ options }) => options.filter(({ values }) => values.length > 0).map(({ name }) => name)),
  ),
];

/** Alternatives of a `case`, each behind `prefix`. */
const anyOf = (names: readonly string[], prefix = '') => names.map((name) => `${prefix}${name}`).join('|');

/** A word in single quotes that all three shells read alike. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/gu, ' ')}'`;
}
