import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addCredentialCommands } from './credentials.ts';
import { addKeysCommands } from './keys.ts';
import { addLinkCommands } from './links.ts';
import { addLockoutCommands } from './lockouts.ts';
import { addMigrateCommand } from './migrate.ts';
import { addQueueCommands } from './queue.ts';
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
  $ npx callout admin migrate
  $ npx callout admin tenants create --name acme
  $ npx callout admin resources create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ npx callout admin credentials create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
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
}
