import type { Command } from 'commander';
import type { WebhookItem } from '@callout/tenancy/operator/administration/webhook-administration';
import { Problem } from '@callout/domain/problem/problem';
import { readinessItem } from '@callout/history/log/readiness.rules';
import { isConfirmed } from '../input/confirmed.ts';
import type { CommandContext } from '../context.ts';
import { knownKeyIds, withAdministration, withDeliveries } from './database/database.ts';
import { tenantInDatabase } from './operator/first-tenant.ts';
import { redactedUrl } from '../show/redacted.ts';
import { pairs, show, table } from '../show/show.ts';
import { addressOf, nameOfWebhook, parseWebhookName, readCatalogue, webhookHelp } from '../input/webhook-named.ts';

const columns = ['webhook', 'name', 'isActive', 'ownerResourceID', 'webhookUrl', 'webhookGUID'];
const shownChanges = 20;
const perPage = 500;

/** `callout admin webhooks list|show|deactivate` */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = program
    .command('webhooks')
    .alias('webhook')
    .description('webhooks of a tenant, and how they are doing')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, or by its GUID. Its secret is shown nowhere, and neither are passwords and
values of the query in its addresses.

Examples:
  $ npx callout admin webhooks list --tenant acme
  $ npx callout admin webhooks show CompanyWebhooks/3 --tenant acme
  $ npx callout admin webhooks deactivate CompanyWebhooks/3 --tenant acme`,
    );

  webhook
    .command('list')
    .description('show the webhooks of a tenant')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const all = await withAdministration(context, async (administration) => {
        const { id } = await tenantInDatabase(context, tenant);
        const items: WebhookItem[] = [];
        for (let after: number | null = 0; after !== null;) {
          const page = await administration.webhooks.list(id, { after, limit: perPage });
          items.push(...page.items.map(withoutSecrets));
          after = page.next;
        }
        return items;
      });
      const rows = all.map((item) => ({ ...item, webhook: nameOfWebhook(catalogue, item) }));
      show(context, command, {
        data: all,
        text: table(rows, columns, 'The tenant has no webhook.', context.out.columns),
      });
    });

  webhook
    .command('show')
    .description('show a webhook, whether it gets callouts and why not, and what happened to it')
    .argument('<webhook>', webhookHelp)
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async (named: string, { tenant }: { tenant: string }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const found = await withDeliveries(context, async ({ database, administration, log, search }) => {
        const { id: tenantId } = await tenantInDatabase(context, tenant);
        const { key, ...item } = await administration.webhooks.find(tenantId, parseWebhookName(catalogue, named));
        const { readWebhookStatus } = await import('@callout/history/log/webhook-status');
        const found = await readWebhookStatus(search, tenantId, item.entityType, item.id);
        if (found === undefined) throw Problem.notFound();
        const { isReady, getsCallouts, reasons } = readinessItem(found, knownKeyIds(context));
        const { listChanges } = await import('@callout/pipeline/deactivate/webhook-history');
        const changes = (await listChanges(database, addressOf(tenantId, item))) ?? [];
        const openCallouts = await log.countCallouts(search, { tenantId, webhooks: { key } }, openOnes);
        return { ...withoutSecrets(item), isReady, getsCallouts, reasons, openCallouts, changes };
      });
      const { reasons, changes, ...item } = found;
      const data = { ...item, reasons, changes: changes.map(({ id: _id, at, ...change }) => ({ at, ...change })) };
      const lines = [pairs({ webhook: nameOfWebhook(catalogue, item), ...item })];
      if (reasons.length > 0) lines.push('', ...reasons.map(({ message }) => message));
      const newest = changes.slice(0, shownChanges);
      lines.push('', table(newest, ['at', 'change', 'cause', 'actorResourceId', 'detail'], 'Nothing happened to it.'));
      show(context, command, { data, text: lines.join('\n') });
    });

  webhook
    .command('deactivate')
    .description('set a webhook inactive: its open callouts are cancelled, and its receiver is notified')
    .argument('<webhook>', webhookHelp)
    .requiredOption('--tenant <tenant>', 'id or name')
    .option('--yes', 'do it without being asked')
    .addHelpText(
      'after',
      `
Its receiver gets a deactivation call that names no person. The owner gets no mail about what an operator does. A user or an
admin of the tenant can activate it again; callouts that were cancelled can be sent again then.`,
    )
    .action(async (named: string, { tenant, yes }: { tenant: string; yes?: true }, command: Command) => {
      const catalogue = await readCatalogue(context);
      await withDeliveries(context, async ({ administration, log, search }) => {
        const { id: tenantId } = await tenantInDatabase(context, tenant);
        const { key, ...item } = await administration.webhooks.find(tenantId, parseWebhookName(catalogue, named));
        const name = nameOfWebhook(catalogue, item);
        if (item.isActive && yes !== true) {
          const open = await log.countCallouts(search, { tenantId, webhooks: { key } }, openOnes);
          const what = `${name} (${item.name}) will be deactivated. Open callouts to be cancelled: ${open}.`;
          if (!(await isConfirmed(context, what, yes))) {
            show(context, command, { data: withoutSecrets(item), text: 'Nothing was changed.', isIncomplete: true });
            return;
          }
        }
        await administration.webhooks.deactivate(addressOf(tenantId, item));
        const text = item.isActive ? `${name} is inactive.` : `${name} was inactive already.`;
        show(context, command, { data: { ...withoutSecrets(item), isActive: false }, text });
      });
    });
}

const openOnes = {
  states: ['waiting', 'held', 'due'],
  since: null,
  until: null,
  fromSequence: null,
  toSequence: null,
  recordId: null,
  actions: null,
  kinds: ['event'],
} as const;

function withoutSecrets<Item extends WebhookItem>(item: Item): Item {
  const { webhookUrl, deactivationUrl } = item;
  return { ...item, webhookUrl: redactedUrl(webhookUrl), deactivationUrl: redactedUrl(deactivationUrl) };
}
