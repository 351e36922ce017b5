import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { idOf } from '@callout/database/schema/ids';
import type { TenantWebhooks } from '@callout/history/log/callouts/callout-candidates';
import { judged, readChoices } from '../../../http/route/read-parameters.ts';
import type { Parameters } from './filtered-list.ts';

/**
 * The webhooks of a tenant that a query string means, whose keys are in lower case.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function tenantWebhooksOf(catalogue: Catalogue, { webhookguid, entitytype }: Parameters): TenantWebhooks {
  return judged((problems) => {
    const guid = webhookguid === undefined ? undefined : idOf(webhookguid);
    if (webhookguid !== undefined && guid === undefined) {
      problems.push({ code: 'invalid', field: 'webhookGUID', message: 'webhookGUID must be the GUID of a webhook' });
    }
    const types = catalogue.watched.map(({ entityType }) => entityType);
    const given = entitytype === undefined ? undefined : [entitytype];
    const [entityType = null] = readChoices(given, 'entityType', types, problems) ?? [];
    return { guids: guid === undefined ? null : [guid], entityType };
  });
}
