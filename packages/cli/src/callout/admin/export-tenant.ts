import type { Command } from 'commander';
import type { Database } from '@callout/database/connection/database';
import { databaseConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import { CannotGoOn } from '../../cannot-go-on.ts';
import type { CommandContext } from '../context.ts';
import { keyRingOf, withDatabase } from './database.ts';
import { tenantInDatabase } from './operator/first-tenant.ts';

interface ExportOptions {
  readonly tenant: string;
  readonly withSecrets?: true;
}

/** `callout admin tenants export` */
export function addTenantExport(tenant: Command, context: CommandContext): void {
  tenant
    .command('export')
    .description('write all data of a tenant to stdout, one line of JSON for each thing')
    .requiredOption('--tenant <tenant>', 'id or name')
    .option('--with-secrets', 'the secrets of its webhooks and its private keys too; needs SECRET_KEYS')
    .addHelpText(
      'after',
      `
Each line is an object with a kind: tenant, zone, resource, credential (without its secret), userDefinedField, record,
webhook (with its children), change, event, callout, attempt, errorLog; the last one is
{"kind":"end","lines":n}. All of it is of one moment, and little of it is in memory at a time.

Example:
  $ callout admin tenants export --tenant acme > acme.jsonl`,
    )
    .action(async (options: ExportOptions) => {
      const { id } = await tenantInDatabase(context, options.tenant);
      await withDatabase(context, (database) => exportOne(context, database, id, options));
    });
}

async function exportOne(
  context: CommandContext,
  { pool }: Database,
  tenantId: number,
  { withSecrets }: ExportOptions,
): Promise<void> {
  const { env, out, fail } = context;
  const { openSearchPool } = await import('@callout/database/connection/database');
  const { exportTenant } = await import('@callout/transfer/export/export-tenant');
  const { openSecrets } = await import('@callout/transfer/export/open-secrets');
  const opened = withSecrets === true ? await openSecrets(pool, keyRingOf(context), tenantId) : undefined;
  // A connection of its own, whose statements may take as long as reading all attempts needs.
  const { DATABASE_URL: url } = parseConfig(databaseConfig, env);
  const slowPool = openSearchPool({ url, poolSize: 1, applicationName: 'callout-cli', onError: () => undefined });
  try {
    let isRead = true;
    const write = async (line: string) => (isRead = await out.pour(line));
    const counts = await exportTenant(slowPool, tenantId, {
      write,
      ...(opened !== undefined && { secrets: opened.secrets }),
    });
    if (!isRead) throw new CannotGoOn('The export was not read to its end.');
    const parts = Object.entries(counts).map(([kind, count]) => `${kind}: ${count}`);
    out.report(`Exported tenant ${tenantId}: ${parts.join(', ')}.`);
    for (const guid of opened?.unreadable ?? [])
      out.report(`The secret of webhook ${guid} does not open with SECRET_KEYS.`);
    if ((opened?.unreadable.length ?? 0) > 0) fail();
  } finally {
    await slowPool.end();
  }
}
