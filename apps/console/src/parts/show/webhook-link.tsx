import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { webhookNamesQuery } from '../webhook-form/webhook-names-query.ts';

interface WebhookLinkProps {
  readonly entityType: string;
  readonly webhookID: number;
}

/** The name of a webhook with its entity, as a link to its page; its id while the name is read, and when it was deleted. */
export function WebhookLink({ entityType, webhookID }: WebhookLinkProps) {
  const names = useQuery(webhookNamesQuery(entityType)).data ?? [];
  const name = names.find((one) => one.webhookID === webhookID)?.name ?? `Webhook ${webhookID}`;
  return (
    <>
      <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`} inherit className="break-anywhere">
        {name}
      </Anchor>{' '}
      ({entityOfType(entityType)?.label ?? entityType})
    </>
  );
}
