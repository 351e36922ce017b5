import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import { secretMask } from '@callout/domain/input/secret-mask';
import { webhookFields } from '@callout/domain/webhook/webhook-fields';
import { webhookTable } from '@callout/history/search/tables/tables';
import type { ApiContext } from '../../api-context.ts';
import { rights } from '../../http/auth/rights.ts';
import { withSigningFields } from './signing-keys/signing-fields.ts';
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
    rowsFor(call) {
      const { tenantId } = call.caller;
      const rows = tableRows(api, collection, webhookTable, { tenantId, entityType }, (row) => ({
        ...rowItem(fields, row),
        secretKey: secretMask,
      }));
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
