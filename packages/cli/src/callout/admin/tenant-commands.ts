import type { Command } from 'commander';
import { addDeliveriesList, addDeliveriesShow } from '../commands/deliveries.ts';
import { addRepair } from '../commands/repair.ts';
import type { CommandContext } from '../context.ts';
import { cancel, redeliver } from '../repair.ts';
import { addWebhookEnd } from '../webhooks/actions.ts';
import { addWebhookList, addWebhookShow } from '../webhooks/read.ts';

/**
 * `callout admin webhooks list|show|deactivate` and `callout admin deliveries list|show|redeliver|cancel`: the commands
 * of integrators, for any tenant.
 */
export function addCommandsOfTenants(admin: Command, context: CommandContext): void {
  const webhooks = admin
    .command('webhooks')
    .alias('webhook')
    .description('webhooks of a tenant, and how they are doing')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, or by its GUID. Its secret is shown nowhere, and neither are passwords and
values of the query in its addresses. The deactivation call of \`deactivate\` names no person, and the owner gets no mail.

Examples:
  $ callout admin webhooks list --tenant acme
  $ callout admin webhooks show CompanyWebhooks/3 --tenant acme
  $ callout admin webhooks deactivate CompanyWebhooks/3 --tenant acme`,
    );
  addWebhookList(webhooks, context);
  addWebhookShow(webhooks, context);
  addWebhookEnd(webhooks, context, 'deactivate');
  for (const command of webhooks.commands) command.requiredOption('--tenant <tenant>', 'id or name');

  const deliveries = admin
    .command('deliveries')
    .alias('delivery')
    .description('what was sent to webhooks, what waits, and why')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, or by its GUID; a callout by its id, which is the webhook-id of the request
and is in the log of the worker. Without --tenant, the tenant is that of the first callout.

Examples:
  $ callout admin deliveries list --tenant acme --state failed --since 2026-01-15
  $ callout admin deliveries show 019cb6a1-0000-7000-8000-000000000001
  $ callout admin deliveries redeliver --tenant acme --webhook CompanyWebhooks/3 --since 2026-01-15T09:00:00Z
  $ callout admin deliveries cancel --tenant acme --webhook CompanyWebhooks/3 --state held
  $ callout admin deliveries cancel 019cb6a1-0000-7000-8000-000000000001`,
    );
  addDeliveriesList(deliveries, context);
  addDeliveriesShow(deliveries, context);
  for (const repair of [redeliver, cancel]) addRepair(deliveries, context, repair);
  for (const command of deliveries.commands) command.option('--tenant <tenant>', 'id or name');
}
