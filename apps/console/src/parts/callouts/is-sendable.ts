import { ApiError } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { webhookQuery } from '../../api/webhook.ts';

/**
 * Whether something can be sent to a webhook now. The API refuses tests, redeliveries and early attempts of an inactive
 * or deleted webhook, so the buttons are absent; the page of the webhook says why. True while not known yet.
 */
export function useIsSendable(address: WebhookAddress): boolean {
  const { data, error } = useQuery(webhookQuery(address));
  return !(error instanceof ApiError && error.status === 404) && data?.isActive !== false;
}
