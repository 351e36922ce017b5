import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { showItem, showItems } from '../show/show.ts';
import { allOf, changesOf, tenantNamed } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

const columns = ['id', 'email', 'isActive', 'canCreateWebhooks'];
const bodyNames = { email: 'email', canCreateWebhooks: 'canCreateWebhooks', active: 'isActive' };
const flags = ['true', 'false'];

/** `callout admin resources list|create|set` */
export function addResourceCommands(program: Command, context: CommandContext): void {
  const resource = program
    .command('resources')
    .alias('resource')
    .description('people and API users of a tenant, and their rights')
    .addHelpText(
      'after',
      `
A resource owns the webhooks that its credentials create, and its address gets the mails about them.
When it is deactivated its credentials stop working at once and its webhooks become inactive.

Examples:
  $ callout admin resources create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ callout admin resources set 1 --tenant acme --can-create-webhooks false
  $ callout admin resources set 1 --tenant acme --active false`,
    );

  resource
    .command('list')
    .description('show the resources of a tenant')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, tenant);
      const all = await allOf((query) =>
        operator.GET('/tenants/{tenantId}/resources', { params: { path: { tenantId }, query } }),
      );
      showItems(context, command, all, columns, 'The tenant has no resource yet.');
    });

  resource
    .command('create')
    .description('make a resource')
    .requiredOption('--tenant <tenant>', 'id or name')
    .requiredOption('--email <address>', 'gets the mails about its webhooks')
    .addOption(canCreateWebhooks())
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, tenant);
      const { data } = await operator.POST('/tenants/{tenantId}/resources', {
        params: { path: { tenantId } },
        body: changesOf(command, bodyNames) as never,
      });
      showItem(context, command, data.item);
    });

  resource
    .command('set')
    .description('change a resource or its rights')
    .argument('<resource>', 'id of the resource in its tenant', resourceId)
    .requiredOption('--tenant <tenant>', 'id or name')
    .option('--email <address>', 'gets the mails about its webhooks')
    .addOption(canCreateWebhooks())
    .addOption(new Option('--active <flag>', 'whether it may act').choices(flags))
    .action(async (resourceId: number, { tenant }: { tenant: string }, command: Command) => {
      const body = changesOf(command, bodyNames);
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, tenant);
      const params = { path: { tenantId, resourceId } };
      const { data } = await operator.PATCH('/tenants/{tenantId}/resources/{resourceId}', { params, body });
      showItem(context, command, data.item);
    });
}

function canCreateWebhooks(): Option {
  return new Option('--can-create-webhooks <flag>', 'whether its credentials may create webhooks').choices(flags);
}

function resourceId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of a resource.');
  return Number(text);
}
