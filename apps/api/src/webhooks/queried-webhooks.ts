import type { EntityDefinition } from '@callout/core/catalogue';
import { metadataOf } from '@callout/core/metadata';
import { defineCollection } from '@callout/core/query';
import { secretMask, webhookFields } from '@callout/core/webhook';
import { webhookTable } from '@callout/db/search';
import { rights } from '../http/auth/rights.ts';
import type { Queried } from '../query/queried.ts';
import { rowItem, tableRows, type TableQueryDeps } from '../query/table-rows.ts';

const fields = metadataOf(webhookFields);

/** The webhooks of an entity. The search never sees the secret: it is masked here, and no filter may name it. */
export function queriedWebhooks(
  deps: TableQueryDeps,
  { webhookCollection, entityType }: Pick<EntityDefinition, 'webhookCollection' | 'entityType'>,
): Queried {
  const collection = defineCollection(webhookCollection, fields);
  return {
    roles: rights.webhooks.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(deps, collection, webhookTable, { tenantId, entityType }, (row) => ({
        ...rowItem(fields, row),
        secretKey: secretMask,
      })),
  };
}
