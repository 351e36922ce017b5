import { InvalidArgumentError, type Command } from 'commander';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { changesOf } from './input/changes.ts';
import { addTenantDelete } from './delete-tenant.ts';
import { addTenantExport } from './export-tenant.ts';
import { addTenantMove } from './move-tenant.ts';
import type { CommandContext } from '../context.ts';
import { withAdministration } from './database/database.ts';
import { allPages, tenantNamed, zoneNamed } from './input/named.ts';
import { pairs, show, table } from '../show/show.ts';

const columns = ['id', 'name', 'zoneID', 'calloutThreshold', 'apiRequestsPerHour', 'deletingDateTime'];
const bodyNames = {
  name: 'name',
  zone: 'zoneID',
  calloutThreshold: 'calloutThreshold',
  apiRequestsPerHour: 'apiRequestsPerHour',
};

/** `callout admin tenants list|create|set|export|delete|move` */
export function addTenantCommands(program: Command, context: CommandContext): void {
  const tenant = program
    .command('tenants')
    .alias('tenant')
    .description('customers and their limits')
    .addHelpText(
      'after',
      `
A limit is a number per hour, 0 for no limit, or \`default\` for the one of the installation.

Examples:
  $ npx callout admin tenants create --name acme --zone eu
  $ npx callout admin tenants set acme --callout-threshold 5000 --api-requests-per-hour default
  $ npx callout admin tenants list --json
  $ npx callout admin tenants export --tenant acme > acme.jsonl
  $ npx callout admin tenants delete acme`,
    );

  tenant
    .command('list')
    .description('show all tenants')
    .action(async (_options: unknown, command: Command) => {
      const all = await withAdministration(context, ({ tenants }) => allPages((page) => tenants.list(page)));
      show(context, command, { data: all, text: table(all, columns, 'There is no tenant yet.', context.out.columns) });
    });

  withSettings(
    tenant.command('create').description('create a tenant').requiredOption('--name <name>', 'unique name'),
  ).action(async (_options: unknown, command: Command) => {
    const made = await withAdministration(context, async (administration) =>
      administration.tenants.create(await bodyOf(administration, command)),
    );
    show(context, command, { data: made, text: pairs(made) });
  });

  addTenantExport(tenant, context);
  addTenantDelete(tenant, context);
  addTenantMove(tenant, context);

  withSettings(
    tenant
      .command('set')
      .description('change a tenant')
      .argument('<tenant>', 'id or name')
      .option('--name <name>', 'unique name'),
  ).action(async (named: string, _options: unknown, command: Command) => {
    const changed = await withAdministration(context, async (administration) => {
      const body = await bodyOf(administration, command);
      return administration.tenants.update((await tenantNamed(administration, named)).id, body);
    });
    show(context, command, { data: changed, text: pairs(changed) });
  });
}

function withSettings(command: Command): Command {
  return command
    .option('--zone <zone>', 'id or name of its zone, if not the default one')
    .option('--callout-threshold <perHour>', 'callouts per entity in an hour', perHour)
    .option('--api-requests-per-hour <perHour>', 'API requests in an hour', perHour);
}

const INSTALLATIONS_OWN = 'default';

/** Which numbers there may be is judged where the API judges it too. */
function perHour(text: string): string {
  const folded = text.toLowerCase();
  if (folded !== INSTALLATIONS_OWN && !/^\d+$/.test(folded)) {
    throw new InvalidArgumentError(`It must be a number or \`${INSTALLATIONS_OWN}\`.`);
  }
  return folded;
}

async function bodyOf(administration: Administration, command: Command): Promise<Record<string, unknown>> {
  const { zoneID: zone, ...settings } = changesOf(command, bodyNames);
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const isLimit = name === 'calloutThreshold' || name === 'apiRequestsPerHour';
    body[name] = isLimit && value === INSTALLATIONS_OWN ? null : value;
  }
  if (typeof zone === 'string') body['zoneID'] = (await zoneNamed(administration, zone)).id;
  return body;
}
