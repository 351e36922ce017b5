import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { entityOfType } from '../../api/entities.ts';
import { type Attention as Item, attentionQuery } from './overview-queries.ts';
import { RemedyButton } from './remedy-button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { type State, StateBadge } from '../../parts/show/state-badge.tsx';
import { Sentence, Time } from '../../parts/show/time.tsx';

/** Each kind as a state in one word. */
const states: Record<Item['kind'], State> = {
  receiverPaused: 'paused',
  deactivated: 'inactive',
  secretKeyMissing: 'keyMissing',
  receiverFailing: 'failing',
  notFetched: 'failing',
  held: 'held',
  notReady: 'notReady',
  nearThreshold: 'nearThreshold',
  rotationEnding: 'rotating',
};

/** A tenant with thousands of broken webhooks needs a list with a search. */
const mostShown = 20;

/** What is wrong, the most urgent first, each with a remedy. */
export function Attention() {
  const { data, error, refetch } = useQuery(attentionQuery);
  if (error) {
    return <Problem title="What needs attention could not be read" error={error} retry={() => void refetch()} />;
  }
  if (data === undefined) return null;
  if (data.length === 0) {
    return (
      <Paper withBorder p="md">
        <Group gap="xs">
          <StateBadge state="delivering" />
          <Text>Nothing needs attention: all active webhooks get their callouts.</Text>
        </Group>
      </Paper>
    );
  }
  return (
    <Stack gap="xs" component="section" aria-label="What needs attention">
      <Title order={2}>
        {data.length === 1 ? 'One thing needs' : `${data.length.toLocaleString()} things need`} attention
      </Title>
      <Paper withBorder component="ul" className="plain-list">
        {data.slice(0, mostShown).map((item) => (
          <AttentionRow key={keyOf(item)} item={item} />
        ))}
      </Paper>
      {data.length > mostShown && (
        <Text>
          These are the {mostShown} most urgent.{' '}
          <PageLink to="/webhooks" search={{ sort: 'state' }}>
            All webhooks by state
          </PageLink>
        </Text>
      )}
    </Stack>
  );
}

/** A row stays, with the result of a test, when a failing webhook is paused. */
const keyOf = ({ kind, entityType, webhookID }: Item) =>
  `${kind === 'rotationEnding' ? kind : 'state'}/${entityType}/${webhookID}`;

function AttentionRow({ item }: { readonly item: Item }) {
  const { kind, entityType, webhookID, name, sinceDateTime, sentence } = item;
  const entity = entityOfType(entityType)?.label ?? entityType;
  return (
    <li>
      <Group justify="space-between" align="flex-start" gap="sm" p="sm">
        <Stack gap={4} flex="1 1 320px" miw={0}>
          <Group gap="xs">
            <StateBadge state={states[kind]} />
            {webhookID === null ? (
              <PageLink to="/thresholds" fw={600}>
                {entity}
              </PageLink>
            ) : (
              <PageLink to={`/webhooks/${entityType}/${webhookID}`} fw={600} className="break-anywhere">
                {name}
              </PageLink>
            )}
            <Text c="dimmed">
              {webhookID !== null && entity}
              {sinceDateTime !== null && (
                <>
                  {webhookID !== null && ', '}since <Time value={sinceDateTime} />
                </>
              )}
            </Text>
          </Group>
          <Text className="break-anywhere">
            <Sentence text={sentence} />
          </Text>
        </Stack>
        <RemedyButton item={item} />
      </Group>
    </li>
  );
}
