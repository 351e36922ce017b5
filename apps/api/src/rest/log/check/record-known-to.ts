import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { type KnownRecord, unseenRecord } from '@callout/pipeline/ingest/record.rules';
import { recordOfCallouts } from '@callout/pipeline/match/sent-values.rules';
import { forCalloutsOfRecord } from '@callout/history/log/callouts/callout-log';
import { readKnownRecord, type JudgedWebhook } from '@callout/history/log/simulation';
import type { ApiContext } from '../../../api-context.ts';
import type { Caller } from '../../../http/auth/caller.ts';
import type { UserDefinedFields } from '../../events/user-defined-fields.ts';

interface Watched {
  readonly entity: EntityDefinition;
  readonly udfs: UserDefinedFields;
  /** Undefined: the webhook is not stored. */
  readonly webhook?: JudgedWebhook;
}

/**
 * The values of a record that a simulation may use, besides the values in the request. A credential may read records,
 * and gets the values that the ingest would find. A portal can name any record and add any field to a webhook, but may
 * not read records: a portal gets only the values in earlier callouts of the webhook, which the delivery log shows as
 * well. A field that was added after the last callout has no value, and a record without a callout looks like a missing
 * record: neither values nor existence are revealed.
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
  let knownRecord = unseenRecord;
  await forCalloutsOfRecord(search, tenantId, webhookKey, recordId, (callouts) => {
    knownRecord = recordOfCallouts(callouts, entity, udfs.all, knownRecord);
  });
  return knownRecord;
}

/**
 * The mail address of the acting resource of a simulation; null for a portal, which may name any resource but read no
 * address.
 */
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
