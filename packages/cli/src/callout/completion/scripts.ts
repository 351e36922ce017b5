import type { CompletedCommand } from './tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The script that a shell sources. Only words of the program are in it. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** For bash 3.2 and later, as macOS has it: no associative arrays, and no package bash-completion. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ path }) => `    '${path}') ;;`);
  const words = commands.map(({ path, commands: below, options }) => {
    const all = below.length > 0 ? below.map(({ name }) => name) : [];
    return `    '${path}') commands='${all.join(' ')}'; options='${options.map(({ name }) => name).join(' ')}' ;;`;
  });
  return `# callout completion bash
_callout_is_command() {
  case "$1" in
${names.join('\n')}
    *) return 1 ;;
  esac
}
_callout() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='callout' word commands='' options=''
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if _callout_is_command "$at $word"; then at="$at $word"; fi
  done
  COMPREPLY=()
  case "$previous" in
${valueCases(commands)}
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

function valueCases(commands: readonly CompletedCommand[]): string {
  const files = new Set<string>();
  const values = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const option of commands.flatMap(({ options }) => options)) {
    if (option.takesFile) files.add(option.name);
    else if (option.values.length > 0) {
      const known = values.get(option.name) ?? new Set();
      for (const value of option.values) known.add(value);
      values.set(option.name, known);
    } else if (option.takesValue) others.add(option.name);
  }
  return [
    ...[...values].map(
      ([name, known]) => `    ${name}) COMPREPLY=($(compgen -W '${[...known].join(' ')}' -- "$current")); return ;;`,
    ),
    ...(files.size > 0 ? [`    ${[...files].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`] : []),
    // Its value is the caller's.
    `    ${[...others].filter((name) => !values.has(name) && !files.has(name)).join('|')}) return ;;`,
  ].join('\n');
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, commands: below, options }) => {
    const described = [...below, ...options].map(({ name, description }) => zshWord(name, description));
    return `    '${path}') words_here=(${described.join(' ')}) ;;`;
  });
  const names = commands.map(({ path }) => `'${path}'`);
  return `#compdef callout
# callout completion zsh
_callout() {
  local -a known words_here
  local at='callout' word
  known=(${names.join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if (( \${known[(Ie)$at $word]} )); then at="$at $word"; fi
  done
  case "$at" in
${cases.join('\n')}
  esac
  _describe 'callout' words_here
}
if [ "$funcstack[1]" = "_callout" ]; then _callout "$@"; else compdef _callout callout; fi
`;
}

const zshWord = (name: string, description: string) => quoted(`${name.replaceAll(':', '\\:')}:${description}`);

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, commands: below, options }) => {
    const words = path.split(' ').slice(1);
    const condition = `-n ${quoted(`__callout_at ${words.join(' ')}`.trim())}`;
    return [
      ...below.map(
        ({ name, description }) => `complete -c callout ${condition} -f -a ${name} -d ${quoted(description)}`,
      ),
      ...options.map(({ name, description, takesValue, takesFile, values }) => {
        const value = takesFile
          ? '-r -F'
          : values.length > 0
            ? `-x -a ${quoted(values.join(' '))}`
            : takesValue
              ? '-x'
              : '-f';
        return `complete -c callout ${condition} -l ${name.slice(2)} ${value} -d ${quoted(description)}`;
      }),
    ];
  });
  const known = commands.map(({ path }) => quoted(path.split(' ').slice(1).join(' '))).filter((path) => path !== "''");
  return `# callout completion fish
set -g __callout_known ${known.join(' ')}
function __callout_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $at $word) $__callout_known
            set at $at $word
        end
    end
    test (string join ' ' $at) = (string join ' ' $argv)
end
complete -c callout -f
${lines.join('\n')}
`;
}

/** A word in single quotes that all three shells read alike. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/gu, ' ')}'`;
}
