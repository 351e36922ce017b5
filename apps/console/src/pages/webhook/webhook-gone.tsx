import { EmptyState, Group } from '@mantine/core';
import { useEffect } from 'react';
import type { WebhookAddress } from '../../api/entities.ts';
import { useMember } from '../../api/session.ts';
import { PageButton } from '../../parts/show/links.tsx';

/** In place of a deleted webhook, or an address without a webhook: the ways on. */
export function WebhookGone({ address: { entity, id } }: { readonly address: WebhookAddress }) {
  const rights = useMember()?.rights;
  useEffect(() => {
    document.title = 'No webhook · Callout';
  }, []);
  return (
    <EmptyState
      title={`There is no webhook ${id} of ${entity.label.toLowerCase()}`}
      description="It was deleted, or its address is mistyped. Ids of deleted webhooks are not used again. Callouts that it sent open by their webhook-id until they are old enough to be removed."
    >
      <Group justify="center">
        <PageButton to="/webhooks">All webhooks</PageButton>
        {rights?.canReadTenant === true && (
          <PageButton to="/events" search={{ entityType: entity.type }} variant="default">
            Events of {entity.label.toLowerCase()}
          </PageButton>
        )}
        {rights?.canCreateWebhooks === true && (
          <PageButton to="/webhooks/new" variant="default">
            New webhook
          </PageButton>
        )}
      </Group>
    </EmptyState>
  );
}
