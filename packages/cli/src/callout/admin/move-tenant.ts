import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import type { Zones } from '@callout/transfer/move/move';
import type { MovePlan } from '@callout/transfer/move/prepare';
import type { OperatorSchemas as Schemas } from '@callout/client';
import { databaseConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../context.ts';
import { keyRingOf, withDatabase } from './database.ts';
import { tenantInDatabase } from './operator/first-tenant.ts';
import { show } from '../show/show.ts';

interface MoveOptions {
  readonly zone?: string;
  readonly toDatabase?: string;
  readonly freezeLimit: number;
  readonly dryRun?: true;
  readonly abort?: true;
  readonly deleteSource?: true;
}

/** `callout admin tenants move` */
export function addTenantMove(tenant: Command, context: CommandContext): void {
  tenant
    .command('move')
    .description('move a tenant to another zone: another installation, with a database of its own')
    .argument('<tenant>', 'id or name')
    .option('--zone <zone>', 'name of the zone that it goes to, in both databases')
    .option('--to-database <url>', 'the database of that zone; by default TO_DATABASE_URL')
    .option('--freeze-limit <seconds>', 'how long changes may be refused while calls under way end', seconds, 120)
    .option('--dry-run', 'show what would be moved, and what prevents it')
    .option('--abort', 'undo an interrupted move: the tenant stays where it is')
    .option('--delete-source', 'erase the tenant in this zone once the other zone serves the tenant')
    .addHelpText(
      'after',
      `
Changes of the tenant are refused with 503, and nothing of it is sent, while everything that it has is copied: some
minutes for each million callouts. From then on the other zone serves it: zoneInformation names that zone, and other
requests here are answered 421. If the command is interrupted, run it again: it copies again. The secrets of webhooks
are encrypted with the keys of the other zone: TO_SECRET_KEYS, or SECRET_KEYS if both zones have the same.

Examples:
  $ callout admin tenants move acme --zone eu2 --to-database postgres://… --dry-run
  $ callout admin tenants move acme --zone eu2 --to-database postgres://…`,
    )
    .action(async (named: string, options: MoveOptions, command: Command) => {
      const tenant = await tenantInDatabase(context, named);
      await withDatabase(context, async (database) => {
        const { data, text, isIncomplete } = await withZones(context, options, (zones) =>
          run(context, database, zones, tenant, options),
        );
        show(context, command, { data, text, ...(isIncomplete === true && { isIncomplete }) });
      });
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a number of seconds.');
  return value;
}

interface Outcome {
  readonly data: unknown;
  readonly text: string;
  readonly isIncomplete?: boolean;
}

async function run(
  context: CommandContext,
  database: Database,
  zones: Zones,
  tenant: Schemas['Tenant'],
  options: MoveOptions,
): Promise<Outcome> {
  const { id, name } = tenant;
  const { abortMove, moveTenant } = await import('@callout/transfer/move/move-tenant');
  const { planMove } = await import('@callout/transfer/move/prepare');
  if (options.abort === true) {
    const wasUndone = await abortMove(zones, tenant);
    const text = wasUndone
      ? `Tenant ${id} (${name}) stays where it is; what was copied is erased.`
      : `Tenant ${id} (${name}) is not being moved.`;
    return { data: { tenantID: id, name, wasUndone }, text };
  }
  const zoneName = options.zone ?? '';
  if (zoneName === '') throw Problem.invalid('--zone is needed: the name of the zone that the tenant goes to');
  if (options.dryRun === true) return plannedText(await planMove(zones, tenant, zoneName));
  const signal = context.stopSignal();
  let reported = '';
  const moved = await moveTenant(zones, tenant, {
    zoneName,
    freezeLimitMs: options.freezeLimit * 1000,
    isStopping: () => signal.aborted,
    onStep: (step) => {
      if (step !== reported && context.stdin.isTTY === true) context.out.report(step);
      reported = step;
    },
  });
  const isDeleted = options.deleteSource === true;
  if (isDeleted) await eraseSource(database, tenant);
  const served = `Tenant ${id} (${name}) is served by the zone ${zoneName}, as tenant ${moved.targetTenantId} there.`;
  const frozen = moved.wasMoved ? '' : ` Its changes were refused for ${(moved.frozenMs / 1000).toFixed(1)} s.`;
  const erasure = isDeleted
    ? ' What it had here is erased.'
    : ` What it had here is kept: callout admin tenants delete ${name} erases it.`;
  const data = {
    tenantID: id,
    name,
    zone: zoneName,
    targetTenantID: moved.targetTenantId,
    frozenMs: moved.frozenMs,
    isSourceDeleted: isDeleted,
  };
  return { data, text: served + frozen + erasure };
}

function plannedText(plan: MovePlan): Outcome {
  const { tenantId, tenantName, rows, bytes, hindrances, notices } = plan;
  const counts = Object.entries(rows).filter(([, count]) => count > 0);
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const lines = [
    `Tenant ${tenantId} (${tenantName}): about ${size}`,
    ...counts.map(([table, count]) => `  ${table}: ${count}`),
    ...notices,
    ...(hindrances.length === 0
      ? ['Nothing prevents the move.']
      : ['It cannot be moved:', ...hindrances.map((one) => `  ${one}`)]),
  ];
  return { data: plan, text: lines.join('\n'), isIncomplete: hindrances.length > 0 };
}

async function eraseSource(database: Database, { id, name }: Schemas['Tenant']): Promise<void> {
  const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
  const { eraseTenants } = await import('@callout/transfer/erase/erase-tenants');
  await createAdministration(database).tenants.remove(id, name);
  // Null: a worker is erasing already, and does everything.
  for (let isDone = false; !isDone;) {
    const erased = await eraseTenants(database.pool, { isStopping: () => false });
    isDone = erased?.every(({ outcome }) => outcome !== 'unfinished') ?? true;
    if (!isDone) await sleep(1_000);
  }
}

/** Opens both databases for statements that may take long, and closes them. */
async function withZones<T>(
  context: CommandContext,
  { toDatabase }: MoveOptions,
  use: (zones: Zones) => Promise<T>,
): Promise<T> {
  const { env } = context;
  const databaseUrl = toDatabase ?? env['TO_DATABASE_URL'] ?? '';
  if (databaseUrl === '')
    throw Problem.invalid('--to-database or TO_DATABASE_URL is needed: the database of that zone');
  const sourceUrl = parseConfig(databaseConfig, env).DATABASE_URL;
  const targetUrl = parseConfig(databaseConfig, { DATABASE_URL: databaseUrl }).DATABASE_URL;
  const sourceRing = keyRingOf(context);
  const targetKeys = env['TO_SECRET_KEYS'] ?? '';
  const targetRing = targetKeys === '' ? sourceRing : KeyRing.parse(targetKeys);
  const { findSessions } = await import('@callout/database/connection/find-sessions');
  const { openSearchPool } = await import('@callout/database/connection/database');
  await findSessions(targetUrl);
  const pools = [sourceUrl, targetUrl].map((url) =>
    openSearchPool({ url, poolSize: 4, applicationName: 'callout-cli', onError: () => undefined }),
  );
  const [source, target] = pools;
  if (source === undefined || target === undefined) throw new Error('no pools');
  try {
    return await use({ source: { pool: source, keyRing: sourceRing }, target: { pool: target, keyRing: targetRing } });
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}
