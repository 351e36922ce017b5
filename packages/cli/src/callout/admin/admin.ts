import type { Command } from 'commander';
import { operationNames, operations, type OperationName } from '@callout/domain/operations/operations';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';
import { databaseConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import { addCatalogueCommands } from './catalogue-commands.ts';
import { addTenantExport } from './export-tenant.ts';
import { groups } from './groups.ts';
import { addZoneLearn } from './learn-zone.ts';
import { addTenantMove } from './move-tenant.ts';
import { addOperationCommand } from './operation-command.ts';
import { addCommandsOfTenants } from './tenant-commands.ts';

const guide = `
These commands call the operator API: set OPERATOR_TOKEN to its token, and CALLOUT_OPERATOR_URL to its address, such as
http://10.0.0.5:8082, unless it listens on this machine. Integrators use the other commands of \`callout\`.

\`migrate\`, \`tenants export\`, \`tenants move\` and \`zones learn\` work on the database that DATABASE_URL names. Without
OPERATOR_TOKEN, \`zones\`, \`keys\`, which then needs SECRET_KEYS, and the commands below do so, too: the first tenant needs no
API that runs.

From nothing to a caller of the API:
  $ export DATABASE_URL=postgres://callout:password@db.internal:5432/callout
  $ callout admin migrate
  $ callout admin tenants create --name acme
  $ callout admin resources create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ callout admin credentials create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
A product that sends events needs a credential of its own, with --role source.`;

/** The operations whose commands are made by hand, since they work on the database. */
const byHand: readonly OperationName[] = ['exportTenant'];

/** `callout admin …`: a command for each operation of operators, and what works on the database alone. */
export function addAdminCommands(program: Command, context: CommandContext): void {
  const admin = program.command('admin').description('set up and maintain an installation').addHelpText('after', guide);
  addMigrateCommand(admin, context);
  addCatalogueCommands(admin, context);
  addCommandsOfTenants(admin, context);
  for (const name of operationNames) {
    const operation = operations[name];
    const [group] = operation.command;
    const parent = operation.command.length === 1 ? admin : groupNamed(admin, group);
    if (!byHand.includes(name)) addOperationCommand(parent, context, name, operation);
  }
  addTenantExport(groupNamed(admin, 'tenants'), context);
  addTenantMove(groupNamed(admin, 'tenants'), context);
  addZoneLearn(groupNamed(admin, 'zones'), context);
}

/** A group of commands; it may be named in the singular, too. */
function groupNamed(admin: Command, name: string): Command {
  const existing = admin.commands.find((one) => one.name() === name);
  if (existing !== undefined) return existing;
  const { description = '', help } = groups[name] ?? {};
  const group = admin.command(name).description(description);
  if (name.endsWith('s')) group.alias(name.slice(0, -1));
  return help === undefined ? group : group.addHelpText('after', help);
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
It waits for a PostgreSQL that is still starting, for a minute at most.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { DATABASE_URL } = parseConfig(databaseConfig, context.env);
      const { applyMigrations } = await import('@callout/database/schema/migrations');
      const { databaseWaitMs: waitMs } = await import('@callout/database/connection/wait-for-database');
      const applied = await applyMigrations(DATABASE_URL, { waitMs, log: (line) => context.out.report(line) });
      const text = applied.length === 0 ? 'The database is up to date.' : applied.map((name) => `applied ${name}`);
      show(context, command, { data: { applied }, text: [text].flat().join('\n') });
    });
}
