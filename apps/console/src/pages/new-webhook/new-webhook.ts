import { api } from '../../api/client.ts';
import { pathOf, type Entity } from '../../api/entities.ts';
import type { FieldChoice } from './field-choices-query.ts';

/** What the form holds. */
export interface NewWebhook {
  readonly entity: Entity;
  readonly name: string;
  readonly webhookUrl: string;
  readonly deactivationUrl: string;
  readonly secretKey: string;
  readonly isSubscribedToCreateEvents: boolean;
  readonly isSubscribedToUpdateEvents: boolean;
  readonly isSubscribedToDeleteEvents: boolean;
  readonly notificationEmailAddress: string;
  readonly sendThresholdExceededNotification: boolean;
  /** A change of these makes a callout. */
  readonly subscribed: readonly FieldChoice[];
  /** These go along with every callout. */
  readonly displayed: readonly FieldChoice[];
  readonly isActive: boolean;
}

/**
 * Makes the webhook with all its fields, in one request.
 * @returns its id. Throws ApiError whose details name the inputs.
 */
export async function createWebhook({ entity, subscribed, displayed, ...webhook }: NewWebhook): Promise<number> {
  const chosen = [...new Map([...subscribed, ...displayed].map((field) => [field.value, field])).values()];
  const flagsOf = ({ value }: FieldChoice) => ({
    isSubscribedField: subscribed.some((field) => field.value === value),
    isDisplayAlwaysField: displayed.some((field) => field.value === value),
  });
  const own = chosen.filter(({ isUserDefined }) => !isUserDefined);
  const userDefined = chosen.filter(({ isUserDefined }) => isUserDefined);
  const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks'), {
    body: {
      ...webhook,
      notificationEmailAddress: webhook.notificationEmailAddress === '' ? null : webhook.notificationEmailAddress,
      fields: own.map((field) => ({ field: field.name, ...flagsOf(field) })),
      ...(userDefined.length > 0 && {
        udfFields: userDefined.map((field) => ({ udfField: field.name, ...flagsOf(field) })),
      }),
    } as never,
  });
  return Number(data?.itemId);
}
