import type { EntityDefinition } from '@callout/core/catalogue';
import { webhookMetadata } from '@callout/core/metadata';
import { defineCollection } from '@callout/core/query';
import { secretMask } from '@callout/core/webhook';
import { webhookTable } from '@callout/db/search';
import { rights } from '../http/auth/rights.ts';
import type { Queried } from '../query/queried.ts';
import { rowItem, tableRows, type TableQueryDeps } from '../query/table-rows.ts';

/** The webhooks of an entity. The search never sees the secret: it is masked here, and no filter may name it. */
export function queriedWebhooks(
  deps: TableQueryDeps,
  { webhookCollection, entityType }: Pick<EntityDefinition, 'webhookCollection' | 'entityType'>,
): Queried {
  const collection = defineCollection(webhookCollection, webhookMetadata);
  return {
    roles: rights.webhooks.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(deps, collection, webhookTable, { tenantId, entityType }, (row) => ({
        ...rowItem(webhookMetadata, row),
        secretKey: secretMask,
      })),
  };
}
