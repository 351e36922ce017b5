import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import { secretMask } from '@callout/domain/input/secret-mask';
import { webhookFieldsOf } from '@callout/webhooks/input/webhook-fields';
import { healthWebhookTable, webhookTable } from '@callout/history/search/tables/tables';
import type { ApiContext } from '../../api-context.ts';
import { rights } from '../../http/auth/rights.ts';
import { withSigningFields } from './signing-keys/signing-fields.ts';
import type { Queried } from '../query/queried.ts';
import { rowItem, tableRows } from '../query/table-rows.ts';
import { alertItem } from './webhook-item.ts';

/** The webhooks of an entity. The search never sees the secret: it is masked here, and no filter may name it. */
export function queriedWebhooks(
  api: ApiContext,
  { webhookCollection, entityType }: Pick<EntityDefinition, 'webhookCollection' | 'entityType'>,
): Queried {
  const fields = metadataOf(webhookFieldsOf({ entityType }));
  const isOfHealth = entityType === webhookHealthType;
  const table = isOfHealth ? healthWebhookTable : webhookTable;
  const collection = defineCollection(webhookCollection, fields);
  return {
    roles: rights.webhooks.read,
    rowsFor(call) {
      const { tenantId } = call.caller;
      const rows = tableRows(api, collection, table, { tenantId, entityType }, (row) => {
        const item: Record<string, unknown> = { ...rowItem(fields, row), secretKey: secretMask };
        return isOfHealth ? { ...item, ...alertItem(item) } : item;
      });
      return {
        ...rows,
        async page(query, position) {
          const page = await rows.page(query, position);
          return { ...page, items: await withSigningFields(api, call, page.items) };
        },
      };
    },
  };
}
