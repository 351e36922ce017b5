import type { Command } from 'commander';
import { addAdminCommands } from './admin/admin.ts';
import { addChangesCommand } from './commands/changes.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDeliveriesCommands } from './commands/deliveries.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addFailedCommands } from './commands/failed.ts';
import { addFieldsCommand } from './commands/fields.ts';
import { addListenCommand } from './commands/listen.ts';
import { addLoginCommand } from './commands/login.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addRepairCommands } from './commands/repair.ts';
import { addSigningKeysCommands } from './commands/signing-keys.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTypesCommand } from './commands/types.ts';
import { addTriggerCommand } from './commands/trigger.ts';
import { addWebhooksCommands } from './commands/webhooks.ts';
import { addWhoamiCommands } from './commands/whoami.ts';
import type { CommandContext } from './context.ts';
import { GuidedCommand } from './help-text.ts';

interface ProgramDeps extends CommandContext {
  readonly version: string;
  /** Help as requested. */
  readonly write: (text: string) => void;
  /** The error of the command line. */
  readonly writeProblem: (text: string) => void;
}

const guide = `
Everything but \`admin\` calls the REST API with the credential that \`login\` keeps.
\`admin\` is for the operators of an installation, and calls the operator API; \`admin --help\` says what works on the database.

First steps:
  $ callout login --url https://callout.example.com/atservicesrest --user-name crm@acme.example --integration-code … < secret
  $ callout listen --forward http://localhost:3000/hook

Every command has examples of its own: callout <command> --help. In a checkout, write npx callout.
With --json the result is JSON on stdout, and a failure is {"errors":[…]} on stderr.
Exit status: 0 done, 1 failed or not all of it done, 2 wrong command line or value, 3 not signed in or not allowed.`;

/** The whole command line. It throws a CommanderError instead of ending the process. */
export function createProgram({ version, write, writeProblem, ...context }: ProgramDeps): Command {
  // Settings are inherited by the commands that are added after them.
  const program = new GuidedCommand('callout')
    .description(
      'Webhooks of Callout from the command line: receive, watch, explain and repair; and its administration.',
    )
    .version(version, '--version', 'show the version of Callout')
    .option('--json', 'print JSON for programs instead of text for people')
    .option('--profile <name>', 'the kept credential to call the API with')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeProblem })
    .configureHelp({ minWidthToWrap: 30 })
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText('after', guide);
  addLoginCommand(program, context);
  addWhoamiCommands(program, context);
  addStatusCommand(program, context);
  addListenCommand(program, context);
  addTriggerCommand(program, context);
  addFieldsCommand(program, context);
  addWebhooksCommands(program, context);
  addChangesCommand(program, context);
  addSigningKeysCommands(program, context);
  addDeliveriesCommands(program, context);
  addFailedCommands(program, context);
  addExplainCommand(program, context);
  addRepairCommands(program, context);
  addReconcileCommand(program, context);
  addTypesCommand(program, context);
  addCompletionCommand(program, context);
  addAdminCommands(program, context);
  return program;
}
