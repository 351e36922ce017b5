import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { type KnownRecord, unseenRecord } from '@callout/pipeline/ingest/record.rules';
import { recordOfCallouts } from '@callout/pipeline/match/sent-values.rules';
import { forCalloutsOfRecord } from '@callout/history/log/callouts/callout-log';
import { readKnownRecord, type JudgedWebhook } from '@callout/history/log/simulation';
import type { ApiContext } from '../../../api-context.ts';
import type { Caller } from '../../../http/auth/caller.ts';
import type { UserDefinedFields } from '../../metadata/user-defined-fields.ts';

interface Watched {
  readonly entity: EntityDefinition;
  readonly udfs: UserDefinedFields;
  /** Undefined: a webhook that is not stored. */
  readonly webhook?: JudgedWebhook;
}

/**
 * The values of a record that a simulation may use, besides those of its caller.
 * A credential may read records, so it uses the values that the ingest would find. A portal may not: it can name any
 * record and add any field to its webhook, so it gets only the values that callouts of this very webhook have carried,
 * which its delivery log shows as well. A field that was added after the last callout has no value, and a record
 * without a callout looks like one that does not exist: neither its values nor its existence are revealed.
 */
export async function recordKnownTo(
  { database, search }: ApiContext,
  { tenantId, portal }: Pick<Caller, 'tenantId' | 'portal'>,
  { entity, udfs, webhook }: Watched,
  recordId: number,
): Promise<KnownRecord> {
  if (portal === undefined) return readKnownRecord(database.pool, tenantId, entity.entityType, recordId);
  if (webhook === undefined) return unseenRecord;
  const { webhookKey } = webhook.subscription;
  let known = unseenRecord;
  await forCalloutsOfRecord(search, tenantId, webhookKey, recordId, (callouts) => {
    known = recordOfCallouts(callouts, entity, udfs.all, known);
  });
  return known;
}

/** The mail address of the resource that acts in a simulation; null for a portal, which may name any but read none. */
export async function emailKnownTo(
  { database }: ApiContext,
  { tenantId, portal }: Pick<Caller, 'tenantId' | 'portal'>,
  resourceId: number,
): Promise<string | null> {
  if (portal !== undefined) return null;
  const where = { tenantId_id: { tenantId, id: resourceId } };
  const resource = await database.prisma.resource.findUnique({ where, select: { email: true } });
  return resource?.email ?? null;
}
