import { Anchor, Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { createLink } from '@tanstack/react-router';
import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';

/** A link to a page of the console. */
export const PageLink = createLink(Anchor<'a'>);

/** The same as a button. */
export const PageButton = createLink((props: ButtonProps & ComponentProps<'a'>) => <Button component="a" {...props} />);

interface WebhookLinkProps {
  readonly entityType: string;
  readonly webhookID: number;
  readonly name: string;
}

/** The name of a webhook with its entity, as a link to its page. */
export function WebhookLink({ entityType, webhookID, name }: WebhookLinkProps) {
  return (
    <>
      <PageLink to={`/webhooks/${entityType}/${webhookID}`} inherit className="break-anywhere">
        {name}
      </PageLink>{' '}
      ({entityOfType(entityType)?.label ?? entityType})
    </>
  );
}

type WebhookName = Pick<Schemas['ListedWebhook'], 'webhookID' | 'webhookGUID' | 'name'>;

/** The first 500 webhooks of an entity with their names, active ones first. */
export function webhookNamesQuery(entityType: string | undefined) {
  return queryOptions({
    queryKey: ['webhooks', 'names', entityType],
    enabled: entityType !== undefined,
    queryFn: async (): Promise<readonly WebhookName[]> => {
      const query = { ...(entityType !== undefined && { entityType }), sort: '-state', maxRecords: 500 };
      return (await api.GET('/v1.0/Webhooks', { params: { query } })).data.items;
    },
    staleTime: 60_000,
  });
}
