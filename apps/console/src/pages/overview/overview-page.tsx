import { Alert, Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';
import { Time } from '../../parts/time.tsx';
import { webhooksQuery } from '../webhooks/webhooks-query.ts';
import { countQuery, failedCalloutsQuery } from './overview-queries.ts';

const counts = [
  { label: 'Delivered in the last hour', states: 'delivered', hours: 1 },
  { label: 'Failed in the last 24 hours', states: 'failed', hours: 24 },
  { label: 'Held by a threshold now', states: 'held', hours: null },
  { label: 'On their way now', states: 'due,waiting', hours: null },
] as const;

/** What needs attention first, then what was delivered and what was given up. */
export default function OverviewPage() {
  const failed = useQuery(failedCalloutsQuery);
  return (
    <Page title="Overview" lead="What needs attention, and what goes on.">
      <Attention />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {counts.map((count) => (
          <Count key={count.label} {...count} />
        ))}
      </SimpleGrid>
      <Title order={2}>Given up lately</Title>
      <RecordsTable
        label="Failed callouts"
        rows={failed.data}
        keyOf={({ id }) => id}
        error={failed.error}
        retry={() => void failed.refetch()}
        empty={{ title: 'Nothing was given up', description: 'A callout whose attempts are used up is shown here.' }}
        columns={[
          {
            title: 'Callout',
            cell: ({ id, sequenceNumber }) => (
              <Anchor component={Link} to={`/callouts/${id}`} size="sm">
                {sequenceNumber}
              </Anchor>
            ),
          },
          {
            title: 'Webhook',
            cell: ({ entityType, webhookID }) => (
              <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`} size="sm">
                {entityOfType(entityType)?.label ?? entityType} {webhookID}
              </Anchor>
            ),
          },
          { title: 'Attempts', isNumber: true, cell: ({ attemptsMade }) => attemptsMade },
          { title: 'Made', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
        ]}
      />
    </Page>
  );
}

interface CountProps {
  readonly label: string;
  readonly states: string;
  readonly hours: number | null;
}

function Count({ label, states, hours }: CountProps) {
  const { data, isError } = useQuery(countQuery(states, hours));
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={650}>
        {isError ? '?' : (data?.toLocaleString() ?? '…')}
      </Text>
    </Paper>
  );
}

/** Webhooks that get no callouts although they may be meant to. */
function Attention() {
  const webhooks = useQuery(webhooksQuery({ text: '', entityType: undefined }));
  if (webhooks.isError) {
    return (
      <Problem title="The webhooks could not be read" error={webhooks.error} retry={() => void webhooks.refetch()} />
    );
  }
  if (webhooks.data === undefined) return null;
  const notReady = webhooks.data.rows.filter(({ webhook }) => webhook.isActive === true && webhook.isReady !== true);
  const inactive = webhooks.data.rows.filter(({ webhook }) => webhook.isActive !== true);
  if (webhooks.data.rows.length === 0) {
    return (
      <Alert title="No webhooks yet">
        <Anchor component={Link} to="/webhooks/new">
          Make the first one
        </Anchor>
        : it tells your program when a record changes.
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Named title="Active, and without a field that could make a callout" color="yellow" rows={notReady} />
      <Named title="Inactive: no callout goes out" color="gray" rows={inactive} />
    </Stack>
  );
}

interface NamedProps {
  readonly title: string;
  readonly color: string;
  readonly rows: readonly {
    readonly entity: { readonly type: string };
    readonly webhook: { readonly id?: number; readonly name?: string };
  }[];
}

function Named({ title, color, rows }: NamedProps) {
  if (rows.length === 0) return null;
  return (
    <Alert color={color} title={title}>
      <Group gap="md">
        {rows.map(({ entity, webhook }) => (
          <Anchor key={`${entity.type}/${webhook.id}`} component={Link} to={`/webhooks/${entity.type}/${webhook.id}`}>
            {webhook.name}
          </Anchor>
        ))}
      </Group>
    </Alert>
  );
}
