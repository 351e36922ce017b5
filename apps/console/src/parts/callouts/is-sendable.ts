import { ApiError } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { webhookQuery } from '../../api/webhook.ts';

/**
 * Whether something can be sent to a webhook now. The API refuses tests, redeliveries and early attempts of one that is
 * inactive or deleted, so there are no buttons for them; the page of the webhook says why. True while it is not known.
 */
export function useIsSendable(address: WebhookAddress): boolean {
  const { data, error } = useQuery(webhookQuery(address));
  return !(error instanceof ApiError && error.status === 404) && data?.isActive !== false;
}
