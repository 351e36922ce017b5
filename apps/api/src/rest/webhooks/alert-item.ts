import { secretMask } from '@callout/domain/input/secret-mask';

/** What reads of a webhook on `WebhookHealth` show besides. The format pagerduty has a key, and no other one has. */
export function alertItem({ alertFormat }: { readonly alertFormat?: unknown }) {
  return { alertFormat, alertRoutingKey: alertFormat === 'pagerduty' ? secretMask : null };
}
