import type { Actor } from '@callout/domain/changes/actor';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import type { NewOccurrence } from '@callout/pipeline/health/occurrence.rules';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';
import { forgetRate } from '@callout/pipeline/limits/limited-calls';
import { markActivated } from './activation.ts';
import { rotationOf } from './webhook-change.rules.ts';
import type { ChangeEffects } from './settings/setting.ts';
import { settings } from './settings/settings.ts';
import type { WebhookRow } from './webhook-values.ts';

/**
 * Lets each changed setting do what a change of the setting means.
 * @param changed the keys of changed settings with their values; a secret has no value here.
 */
export async function applyEffects(
  shared: SharedTransaction,
  { webhookKey, stored, actor }: { readonly webhookKey: number; readonly stored: WebhookRow; readonly actor: Actor },
  changed: ReadonlyMap<string, unknown>,
): Promise<void> {
  const { models, sets } = shared;
  const occurrences: NewOccurrence[] = [];
  const recovered = (subject: 'delivery' | 'certificate') =>
    occurrences.push({
      occurrence: 'recovered',
      subject,
      webhookKey,
      actorResourceId: actor.resourceId,
      facts: {},
    });
  const effects: ChangeEffects = {
    async activate() {
      await models.webhookHealth.deleteMany({ where: { webhookKey } });
      await markActivated(shared, webhookKey);
      // A webhook that was never active has nothing to recover from.
      if (stored.activatedAt !== null) recovered('delivery');
    },
    forgetRate: () => forgetRate(sets, webhookKey),
    announceSecret: () => void occurrences.push(rotationOf(webhookKey, 'secret', null, actor)),
    announceCertificate: () => void (stored.certificateToldDays !== null && recovered('certificate')),
  };
  for (const { key, onChange } of settings) if (changed.has(key)) await onChange?.(effects, changed.get(key));
  await storeOccurrences(sets, occurrences);
}
