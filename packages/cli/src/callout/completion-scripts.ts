import type { Suggestions } from './completion-suggestions.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What stands for the suggestion of a file, which the shell itself completes. */
const files = ':files';

/**
 * The scripts that shells source. The scripts pass the typed words to `callout completion <shell> -- …`. The script for
 * bash works with 3.2, the version of macOS, and without the package bash-completion.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# callout completion bash
_callout() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}" found
  found="$(callout completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  if [ "$current" = '=' ]; then current=''; fi
  if [ "$found" = '${files}' ]; then found="$(compgen -f -- "$current")"; fi
  COMPREPLY=($found)
}
complete -F _callout callout
`,
  zsh: `#compdef callout
# callout completion zsh
_callout() {
  local -a found=("\${(@f)$(callout completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$found" == '${files}' ]]; then
    if [[ "$PREFIX" == --*=* ]]; then compset -P '*='; fi
    _files
  elif [[ -n "$found" ]]; then
    _describe 'callout' found
  fi
}
if [ "$funcstack[1]" = "_callout" ]; then _callout "$@"; else compdef _callout callout; fi
`,
  fish: `# callout completion fish
function __callout_words
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -l found (callout completion fish -- $words 2>/dev/null)
    if test "$found" = '${files}'
        __fish_complete_path (commandline -ct)
    else
        string replace : \\t -- $found
    end
end
complete -c callout -f -a '(__callout_words)'
`,
};

/** Suggestions for the script of a shell: a line for each, with the description where the shell shows descriptions. */
export function suggestionLines(shell: Shell, suggestions: Suggestions): string {
  if (suggestions === 'files') return files;
  const isDescribed = shell !== 'bash';
  return suggestions
    .map(({ word, description }) => (isDescribed && description !== '' ? `${word}:${description}` : word))
    .join('\n');
}
