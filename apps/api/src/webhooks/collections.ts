import type { EntityDefinition } from '@callout/core';

/** The collections that number the children of an entity's webhooks, and under whose names they can be read as a whole. */
export function childCollections({ webhookCollection }: EntityDefinition) {
  const singular = webhookCollection.replace(/s$/, '');
  return {
    fields: `${singular}Fields`,
    udfFields: `${singular}UdfFields`,
    excludedResources: `${singular}ExcludedResources`,
  };
}
