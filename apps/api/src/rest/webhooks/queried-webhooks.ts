import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import { secretMask } from '@callout/domain/input/secret-mask';
import { webhookFields } from '@callout/domain/webhook/webhook-fields';
import { webhookTable } from '@callout/history/search/tables/tables';
import type { ApiContext } from '../../api-context.ts';
import { rights } from '../../http/auth/rights.ts';
import type { Queried } from '../query/queried.ts';
import { rowItem, tableRows } from '../query/table-rows.ts';

const fields = metadataOf(webhookFields);

/** The webhooks of an entity. The search never sees the secret: it is masked here, and no filter may name it. */
export function queriedWebhooks(
  api: ApiContext,
  { webhookCollection, entityType }: Pick<EntityDefinition, 'webhookCollection' | 'entityType'>,
): Queried {
  const collection = defineCollection(webhookCollection, fields);
  return {
    roles: rights.webhooks.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(api, collection, webhookTable, { tenantId, entityType }, (row) => ({
        ...rowItem(fields, row),
        secretKey: secretMask,
      })),
  };
}
