import { InvalidArgumentError, type Command } from 'commander';
import type { OperatorClient } from '@callout/client';
import type { CommandContext } from '../context.ts';
import { ask } from '../input/confirmed.ts';
import { show, showItem, showItems } from '../show/show.ts';
import { addTenantExport } from './export-tenant.ts';
import { addTenantMove } from './move-tenant.ts';
import { allOf, changesOf, tenantNamed, zoneNamed } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

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
  $ callout admin tenants create --name acme --zone eu
  $ callout admin tenants set acme --callout-threshold 5000 --api-requests-per-hour default
  $ callout admin tenants list --json
  $ callout admin tenants export --tenant acme > acme.jsonl
  $ callout admin tenants delete acme`,
    );

  tenant
    .command('list')
    .description('show all tenants')
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const all = await allOf((query) => operator.GET('/tenants', { params: { query } }));
      showItems(context, command, all, columns, 'There is no tenant yet.');
    });

  withSettings(
    tenant.command('create').description('create a tenant').requiredOption('--name <name>', 'unique name'),
  ).action(async (_options: unknown, command: Command) => {
    const operator = await openOperator(context, command);
    const { data } = await operator.POST('/tenants', { body: (await bodyOf(operator, command)) as never });
    showItem(context, command, data.item);
  });

  addTenantExport(tenant, context);

  tenant
    .command('delete')
    .description('erase a tenant with all its data; this cannot be undone')
    .argument('<tenant>', 'id or name')
    .option('--confirm <name>', 'the name of the tenant again, to do it without being asked')
    .addHelpText(
      'after',
      `
Its credentials are refused at once. Then the workers delete all its rows in every table, history included, a few thousand
at a time, while other tenants are served. Open callouts are not sent, and no receiver gets a deactivation call.
\`callout admin tenants list\` shows it until its row is deleted too.
Before, export what must be kept: callout admin tenants export --tenant <tenant> > file`,
    )
    .action(async (named: string, { confirm }: { confirm?: string }, command: Command) => {
      const operator = await openOperator(context, command);
      const { id: tenantId, name, deletingDateTime } = await tenantNamed(operator, named);
      const what = `Tenant ${tenantId} (${name}) will be erased with all its data: resources, credentials, webhooks, records, events and callouts. This cannot be undone.`;
      const typed =
        deletingDateTime === null
          ? (confirm ??
            (await ask(context, `${what}\nType its name to go on:`, `${what} Add --confirm with its name.`)))
          : name;
      const params = { path: { tenantId }, query: { name: typed } };
      const { data } = await operator.DELETE('/tenants/{tenantId}', { params });
      const text = `Tenant ${tenantId} (${name}) is being deleted: its credentials are refused, and the workers erase its data.`;
      show(context, command, { data: data.item, text });
    });

  addTenantMove(tenant, context);

  withSettings(
    tenant
      .command('set')
      .description('change a tenant')
      .argument('<tenant>', 'id or name')
      .option('--name <name>', 'unique name'),
  ).action(async (named: string, _options: unknown, command: Command) => {
    const operator = await openOperator(context, command);
    const body = await bodyOf(operator, command);
    const { id: tenantId } = await tenantNamed(operator, named);
    const { data } = await operator.PATCH('/tenants/{tenantId}', { params: { path: { tenantId } }, body });
    showItem(context, command, data.item);
  });
}

function withSettings(command: Command): Command {
  return command
    .option('--zone <zone>', 'id or name of its zone, if not the default one')
    .option('--callout-threshold <perHour>', 'callouts per entity in an hour', perHour)
    .option('--api-requests-per-hour <perHour>', 'API requests in an hour', perHour);
}

const INSTALLATIONS_OWN = 'default';

/** Which numbers there may be is judged by the API. */
function perHour(text: string): string {
  const folded = text.toLowerCase();
  if (folded !== INSTALLATIONS_OWN && !/^\d+$/.test(folded)) {
    throw new InvalidArgumentError(`It must be a number or \`${INSTALLATIONS_OWN}\`.`);
  }
  return folded;
}

async function bodyOf(operator: OperatorClient, command: Command): Promise<Record<string, unknown>> {
  const body = changesOf(command, bodyNames);
  for (const limit of ['calloutThreshold', 'apiRequestsPerHour']) {
    if (body[limit] === INSTALLATIONS_OWN) body[limit] = null;
  }
  if (typeof body['zoneID'] === 'string') body['zoneID'] = (await zoneNamed(operator, body['zoneID'])).id;
  return body;
}
