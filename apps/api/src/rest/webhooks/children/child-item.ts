import type { StoredChild } from '@callout/webhooks/child-tables';
import type { ChildKind } from './child-kinds.ts';

/** A child as reads show it. */
export function childItem({ idKey }: ChildKind, { id, webhookId, targetId, flags }: StoredChild) {
  return {
    id,
    webhookID: webhookId,
    [idKey]: targetId,
    ...(flags && { isSubscribedField: flags.isSubscribed, isDisplayAlwaysField: flags.isDisplayAlways }),
  };
}
