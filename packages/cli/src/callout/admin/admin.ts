import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { openOperator } from './operator/open-operator.ts';
import { show } from '../show/show.ts';
import { migrationConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import { addAlertCommands } from './alerts.ts';
import { addCredentialCommands } from './credentials.ts';
import { addKeysCommands } from './keys.ts';
import { addLinkCommands } from './links.ts';
import { addLockoutCommands } from './lockouts.ts';
import { addResourceCommands } from './resources.ts';
import { addStatusCommand } from './status.ts';
import { addCommandsOfTenants } from './tenant-commands.ts';
import { addTenantCommands } from './tenants.ts';
import { addZoneCommands } from './zones.ts';

const guide = `
These commands call the operator API: set OPERATOR_TOKEN to its token, and CALLOUT_OPERATOR_URL to its address, such as
http://10.0.0.5:8082, unless it listens on this machine. Integrators use the other commands of \`callout\`.

These work on the database that DATABASE_URL names: \`migrate\`, \`tenants export\` and \`move\`, \`zones learn\`, and
\`keys\`, which needs SECRET_KEYS. Without OPERATOR_TOKEN, \`zones\` and
the commands below do so, too: the first tenant needs no API that runs.

From nothing to a caller of the API:
  $ export DATABASE_URL=postgres://callout:password@db.internal:5432/callout
  $ callout admin migrate
  $ callout admin tenants create --name acme
  $ callout admin resources create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ callout admin credentials create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
A product that sends events needs a credential of its own, with --role source.`;

/** `callout admin …`: commands for operators, on the operator API and the database. */
export function addAdminCommands(program: Command, context: CommandContext): void {
  const admin = program.command('admin').description('set up and maintain an installation').addHelpText('after', guide);
  addMigrateCommand(admin, context);
  addStatusCommand(admin, context);
  addZoneCommands(admin, context);
  addTenantCommands(admin, context);
  addResourceCommands(admin, context);
  addCredentialCommands(admin, context);
  addLinkCommands(admin, context);
  addLockoutCommands(admin, context);
  addCommandsOfTenants(admin, context);
  addKeysCommands(admin, context);
  addQueueCommands(admin, context);
  addAlertCommands(admin, context);
}

/** `callout admin migrate` */
function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('update the tables of the database to this version')
    .addHelpText(
      'after',
      `
API and worker do the same when they start, with the same rights: the user of DATABASE_URL owns the tables.
It is safe while older processes run, and running it twice changes nothing.
It waits for a PostgreSQL that is still starting, for DATABASE_WAIT_MS at most.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { DATABASE_URL, DATABASE_WAIT_MS: waitMs } = parseConfig(migrationConfig, context.env);
      const { applyMigrations } = await import('@callout/database/schema/migrations');
      const applied = await applyMigrations(DATABASE_URL, { waitMs, log: (line) => context.out.report(line) });
      const text = applied.length === 0 ? 'The database is up to date.' : applied.map((name) => `applied ${name}`);
      show(context, command, { data: { applied }, text: [text].flat().join('\n') });
    });
}

/** `callout admin queue rebuild` */
function addQueueCommands(program: Command, context: CommandContext): void {
  program
    .command('queue')
    .description('the queue in Redis')
    .command('rebuild')
    .description('enqueue everything that is owed now')
    .addHelpText(
      'after',
      `
Redis only names what is owed: it is in PostgreSQL, and the sweep of the workers finds all of it by itself, some thousand
events a second and up to 5 minutes late. After Redis was emptied or away for long this is faster.
Running it twice, or for nothing, does no harm. Retries wait for their time as before.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const { item } = (await operator.POST('/queues/rebuild')).data;
      const text = `Enqueued ${item.events} pending events, and ${item.webhooks} webhooks with due callouts.`;
      show(context, command, { data: item, text });
    });
}
