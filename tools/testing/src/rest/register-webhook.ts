import type { IssuedCredential } from '@callout/tenancy/tenants';
import { callApi, itemId } from './api-client.ts';

/** A webhook as an integrator registers it, with all its children in one call. */
export interface NewWebhook {
  /** Such as `CompanyWebhooks`. */
  readonly collection: string;
  readonly name: string;
  readonly url: string;
  /** The target of its deactivation call; the target of its callouts by default. */
  readonly deactivationUrl?: string;
  readonly secretKey: string;
  readonly isActive: boolean;
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
  readonly onDelete: boolean;
  readonly fields: readonly { fieldID: number; isSubscribedField: boolean; isDisplayAlwaysField: boolean }[];
  readonly udfFields?: readonly { udfFieldID: number; isSubscribedField: boolean; isDisplayAlwaysField: boolean }[];
  readonly excludedResourceIds: readonly number[];
  readonly condition?: object | null;
  readonly mergeWhileWaiting?: boolean;
  readonly alertFormat?: string;
  readonly alertRoutingKey?: string;
  /** Other fields, as the API names them. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** The catalogue's number of a company's name. */
export const COMPANY_NAME = 2;

/** On companies, active, subscribed to everything that happens and to the name. */
export const everyCompanyEvent = {
  collection: 'CompanyWebhooks',
  name: 'every company event',
  secretKey: 'a secret of the receiver',
  isActive: true,
  onCreate: true,
  onUpdate: true,
  onDelete: true,
  fields: [{ fieldID: COMPANY_NAME, isSubscribedField: true, isDisplayAlwaysField: true }],
  excludedResourceIds: [],
} satisfies Omit<NewWebhook, 'url'>;

/** Registers a webhook. @returns its id. */
export function registerWebhook(port: number, integrator: IssuedCredential, webhook: NewWebhook): Promise<number> {
  const body = {
    name: webhook.name,
    webhookUrl: webhook.url,
    deactivationUrl: webhook.deactivationUrl ?? webhook.url,
    secretKey: webhook.secretKey,
    isActive: webhook.isActive,
    isSubscribedToCreateEvents: webhook.onCreate,
    isSubscribedToUpdateEvents: webhook.onUpdate,
    isSubscribedToDeleteEvents: webhook.onDelete,
    fields: webhook.fields,
    ...(webhook.udfFields !== undefined && { udfFields: webhook.udfFields }),
    ...(webhook.condition !== undefined && { condition: webhook.condition }),
    ...(webhook.mergeWhileWaiting !== undefined && { mergeWhileWaiting: webhook.mergeWhileWaiting }),
    ...(webhook.alertFormat !== undefined && { alertFormat: webhook.alertFormat }),
    ...(webhook.alertRoutingKey !== undefined && { alertRoutingKey: webhook.alertRoutingKey }),
    ...webhook.others,
    excludedResources: webhook.excludedResourceIds.map((resourceID) => ({ resourceID })),
  };
  return itemId(callApi(port, integrator, { method: 'POST', path: `/${webhook.collection}`, body }));
}
