import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { renameUdf } from '@callout/domain/condition/rename-udf';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';

/** A condition names a user-defined field by name, and goes on to mean the same field. */
export async function renameInConditions(
  { models, sets }: SharedTransaction,
  webhooks: readonly { readonly key: number; readonly condition: string | null }[],
  { tenantId, from, to }: { readonly tenantId: number; readonly from: string; readonly to: string },
  actor: Actor,
): Promise<void> {
  if (from === to) return;
  for (const { key: webhookKey, condition } of webhooks) {
    const renamed = condition === null ? null : renameUdf(condition, from, to);
    if (renamed === condition) continue;
    await models.webhook.update({ where: { key: webhookKey }, data: { condition: renamed } });
    const fields = fieldChanges({ condition }, { condition: renamed });
    const entry = { tenantId, entity: 'webhook', webhookKey, action: 'updated', actor } as const;
    await recordChanges(sets, [{ ...entry, cause: 'definitionRenamed', fields }]);
  }
}
