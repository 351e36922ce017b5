import { Argument, type Command } from 'commander';
import { completionScripts, type Shell, shells, suggestionLines } from '../completion-scripts.ts';
import { suggestionsFor } from '../completion-suggestions.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';

/** `callout completion` */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addArgument(new Argument('[words...]', 'after --: print what may complete the last of them, as the scripts ask'))
    .addHelpText(
      'after',
      `
It completes the command \`callout\`. The image has it; in a checkout, \`npm link -w @callout/cli\` makes it.

  bash  in ~/.bashrc:                  source <(callout completion bash)
  zsh   in ~/.zshrc, after compinit:   source <(callout completion zsh)
  fish  callout completion fish > ~/.config/fish/completions/callout.fish`,
    )
    .action((shell: Shell, words: readonly string[], _options: unknown, command: Command) => {
      if (words.length > 0) {
        const suggestions = suggestionsFor(program, words);
        show(context, command, { data: suggestions, text: suggestionLines(shell, suggestions) });
        return;
      }
      const script = completionScripts[shell];
      show(context, command, { data: { shell, script }, text: script.trimEnd() });
    });
}
