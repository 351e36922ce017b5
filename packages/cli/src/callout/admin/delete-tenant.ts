import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Database } from '@callout/database/connection/database';
import type { ErasedTenant } from '@callout/transfer/erase/erase-tenants';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { ask } from '../input/confirmed.ts';
import type { CommandContext } from '../context.ts';
import { withDatabase } from './database/database.ts';
import { tenantNamed } from './input/named.ts';
import { show } from '../show/show.ts';

const askAgainMs = 1_000;

/** `callout admin tenants delete` */
export function addTenantDelete(tenant: Command, context: CommandContext): void {
  tenant
    .command('delete')
    .description('erase a tenant with all its data; this cannot be undone')
    .argument('<tenant>', 'id or name')
    .option('--confirm <name>', 'the name of the tenant again, to do it without being asked')
    .addHelpText(
      'after',
      `
Its credentials are refused at once. Then all its rows are deleted in every table, history included, a few thousand at a
time, while other tenants are served. Open callouts are not sent, and no receiver gets a deactivation call. If the
command is interrupted, the workers continue, and so does this command when it is run again.
Before, export what must be kept: npx callout admin tenants export --tenant <tenant> > file`,
    )
    .action(async (named: string, { confirm }: { confirm?: string }, command: Command) => {
      await withDatabase(context, async (database) => {
        const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
        const administration = createAdministration(database);
        const { id, name, deletingDateTime } = await tenantNamed(administration, named);
        if (deletingDateTime === null) {
          const typed = confirm ?? (await askForName(context, administration, id, name));
          await administration.tenants.remove(id, typed);
        }
        const outcome = await eraseNow(context, database, id);
        const text =
          outcome === 'gone'
            ? `Tenant ${id} is gone.`
            : `All data of tenant ${id} (${name}) is erased. In ten minutes the workers look once more, for requests that were still running.`;
        show(context, command, { data: { tenantID: id, name, outcome }, text });
      });
    });
}

/** Shows the tenant's data, and asks for its name. */
async function askForName(
  context: CommandContext,
  { resources, webhooks }: Administration,
  id: number,
  name: string,
): Promise<string> {
  const mostCounted = 500;
  const counted = (count: number) => (count < mostCounted ? String(count) : `${mostCounted} or more`);
  const owned = {
    resources: (await resources.list(id, { after: 0, limit: mostCounted })).length,
    webhooks: (await webhooks.list(id, { after: 0, limit: mostCounted })).items.length,
  };
  const what =
    `Tenant ${id} (${name}) will be erased with all its data: resources: ${counted(owned.resources)}, ` +
    `webhooks: ${counted(owned.webhooks)}, all records, events and callouts. This cannot be undone.`;
  return ask(context, `${what}\nType its name to go on:`, `${what} Add --confirm with its name.`);
}

/** Erases it, or waits until the worker that is at it has done so. */
async function eraseNow(context: CommandContext, database: Database, id: number): Promise<ErasedTenant['outcome']> {
  const { eraseTenants } = await import('@callout/transfer/erase/erase-tenants');
  for (;;) {
    const onStep = (step: string) => void (context.stdin.isTTY === true && context.out.tell(`erasing ${step}`));
    const erased = await eraseTenants(database.pool, { isStopping: () => false, onStep });
    const own = erased?.find(({ tenantId }) => tenantId === id);
    if (own !== undefined && own.outcome !== 'unfinished') return own.outcome;
    if (erased !== null) {
      const tenant = await database.prisma.tenant.findUnique({ where: { id }, select: { erasedAt: true } });
      if (tenant === null) return 'gone';
      if (tenant.erasedAt !== null) return 'erased';
    }
    await sleep(askAgainMs);
  }
}
