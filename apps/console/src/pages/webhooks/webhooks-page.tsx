import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EntitySelect } from '../../parts/filter-inputs.tsx';
import { Page } from '../../parts/page.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';
import { StateBadge, type State } from '../../parts/state-badge.tsx';
import { webhooksQuery } from './webhooks-query.ts';

/** All webhooks in one list. The search runs in the API, so it finds what is not on this page too. */
export default function WebhooksPage() {
  const [text, setText] = useState('');
  const [entityType, setEntityType] = useState<string | null>(null);
  const [searched] = useDebouncedValue(text.trim(), 250);
  const webhooks = useQuery({
    ...webhooksQuery({ text: searched, entityType: entityType ?? undefined }),
    placeholderData: keepPreviousData,
  });
  const isFiltered = searched !== '' || entityType !== null;
  return (
    <Page
      title="Webhooks"
      lead="What is told of changes, and where."
      actions={
        <Button component={Link} to="/webhooks/new">
          New webhook
        </Button>
      }
    >
      <Group className="no-print">
        <TextInput
          aria-label="Search by name or URL"
          placeholder="Name or URL"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={260}
        />
        <EntitySelect value={entityType} onChange={setEntityType} />
      </Group>
      <RecordsTable
        label="Webhooks"
        rows={webhooks.data?.rows}
        keyOf={({ webhook }) => webhook.webhookGUID ?? ''}
        error={webhooks.error}
        retry={() => void webhooks.refetch()}
        empty={
          isFiltered
            ? {
                title: 'No webhook matches',
                description: 'Search for a part of its name or URL, or choose all entities.',
              }
            : {
                title: 'No webhooks yet',
                description: 'A webhook tells your program when a record changes. Make the first one.',
              }
        }
        columns={[
          {
            title: 'Name',
            cell: ({ entity, webhook }) => (
              <Anchor component={Link} to={`/webhooks/${entity.type}/${webhook.id}`}>
                {webhook.name}
              </Anchor>
            ),
          },
          { title: 'State', cell: ({ webhook }) => <StateBadge state={stateOf(webhook)} /> },
          { title: 'Entity', cell: ({ entity }) => entity.label },
          { title: 'URL', cell: ({ webhook }) => webhook.webhookUrl },
        ]}
      />
      {webhooks.data?.hasMore === true && (
        <Text size="sm" c="dimmed">
          These are the first of each entity. Search by name or URL to find others.
        </Text>
      )}
    </Page>
  );
}

function stateOf({ isActive, isReady }: { isActive?: boolean; isReady?: boolean }): State {
  if (isActive !== true) return 'inactive';
  return isReady === true ? 'active' : 'notReady';
}
