import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { ChildKind } from '@callout/webhooks/child-tables';

/** The collections that number the children of an entity's webhooks, and under whose names they can be read as a whole. */
export function childCollections({ webhookSingular }: EntityDefinition): Readonly<Record<ChildKind, string>> {
  return {
    fields: `${webhookSingular}Fields`,
    udfFields: `${webhookSingular}UdfFields`,
    excludedResources: `${webhookSingular}ExcludedResources`,
  };
}
