import { Button, EmptyState, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionQuery } from '../../api/session.ts';
import type { WebhookAddress } from './webhook-queries.ts';

/** In place of a webhook that was deleted, or never was: the ways on. */
export function WebhookGone({ address: { entity, id } }: { readonly address: WebhookAddress }) {
  const session = useQuery(sessionQuery).data;
  const rights = session == null || session.kind === 'operator' ? undefined : session.rights;
  useEffect(() => {
    document.title = 'No webhook · Callout';
  }, []);
  return (
    <EmptyState
      title={`There is no webhook ${id} of ${entity.label.toLowerCase()}`}
      description="It was deleted, or its address is mistyped. Ids of deleted webhooks are not used again. Callouts that it sent open by their webhook-id until they are old enough to be removed."
    >
      <Group justify="center">
        <Button component={Link} to="/webhooks">
          All webhooks
        </Button>
        {rights?.canReadTenant === true && (
          <Button component={Link} to="/events" search={{ entityType: entity.type } as never} variant="default">
            Events of {entity.label.toLowerCase()}
          </Button>
        )}
        {rights?.canCreateWebhooks === true && (
          <Button component={Link} to="/webhooks/new" variant="default">
            New webhook
          </Button>
        )}
      </Group>
    </EmptyState>
  );
}
