import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from '../completion/scripts.ts';
import { completedCommands } from '../completion/tree.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';

/** `callout completion` */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addHelpText(
      'after',
      `
It completes the command \`callout\`. The image has it; in a checkout, \`npm link -w @callout/cli\` makes it.

  bash  in ~/.bashrc:                  source <(callout completion bash)
  zsh   in ~/.zshrc, after compinit:   source <(callout completion zsh)
  fish  callout completion fish > ~/.config/fish/completions/callout.fish`,
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      const script = completionScript(shell, completedCommands(program));
      show(context, command, { data: { shell, script }, text: script.trimEnd() });
    });
}
