import { Command } from 'commander';
import { addCredentialCommands } from './commands/credential.ts';
import { addDeliveriesCommands } from './commands/deliveries.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addLinkCommands } from './commands/link.ts';
import { addListenCommands } from './commands/listen.ts';
import { addLockoutCommands } from './commands/lockout.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addQueueCommands } from './commands/queue.ts';
import { addResourceCommands } from './commands/resource.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTenantCommands } from './commands/tenant.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { addZoneCommands } from './commands/zone.ts';
import type { CommandContext } from './context.ts';

interface ProgramDeps extends CommandContext {
  readonly version: string;
  /** Help that was asked for. */
  readonly write: (text: string) => void;
  /** What was wrong with the command line. */
  readonly writeProblem: (text: string) => void;
}

const guide = `
From nothing to a caller of the API:
  $ export DATABASE_URL=postgres://callout:password@db.internal:5432/callout
  $ npx callout migrate
  $ npx callout tenant create --name acme
  $ npx callout resource create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ npx callout credential create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
A product that sends events needs a credential of its own, with --role source.

Every command has examples of its own: npx callout <command> --help
With --json the result is one line of JSON on stdout, and a failure is {"errors":[…]} on stderr.
Exit status: 0 done, 1 failed, 2 wrong command line or value.
It works on the database that DATABASE_URL names; \`queue\` needs REDIS_URL too, \`keys\` SECRET_KEYS.
\`login\` and \`listen\` are for integrators: they call the API, and need no database.`;

/** The whole command line. It throws a CommanderError instead of ending the process. */
export function createProgram({ version, write, writeProblem, ...context }: ProgramDeps): Command {
  // Settings are inherited by the commands that are added after them.
  const program = new Command('callout')
    .description('Sets up and maintains a Callout installation, directly on its database.')
    .version(version, '--version', 'show the version of Callout')
    .option('--json', 'print JSON for programs instead of text for people')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeProblem })
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText('after', guide);
  addMigrateCommand(program, context);
  addStatusCommand(program, context);
  addZoneCommands(program, context);
  addTenantCommands(program, context);
  addResourceCommands(program, context);
  addCredentialCommands(program, context);
  addLinkCommands(program, context);
  addLockoutCommands(program, context);
  addWebhookCommands(program, context);
  addDeliveriesCommands(program, context);
  addKeysCommands(program, context);
  addQueueCommands(program, context);
  addListenCommands(program, context);
  return program;
}
