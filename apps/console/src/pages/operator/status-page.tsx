import { Alert, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { InstallationProblem, Status } from '../../api/operator.ts';
import { statusQuery } from './operator-queries.ts';
import { Processes } from './processes.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Figure } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { TenantLink } from './tenant/tenant-link.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

/** What is wrong, what is to be delivered, and which processes are at work. */
export default function StatusPage() {
  const { data: status, error, isError, refetch } = useQuery(statusQuery);
  return (
    <Page title="Status" lead={<ReadAt status={status} />}>
      {isError && status === undefined && (
        <Problem title="The status could not be read" error={error} retry={() => void refetch()} />
      )}
      {isError && status !== undefined && (
        <Problem title="The status could not be read again; below is the last one" error={error} />
      )}
      {status !== undefined && (
        <>
          <Problems problems={status.problems} />
          <ToDeliver status={status} />
          <Section title="Processes">
            <Processes processes={status.processes} />
          </Section>
          <Section title="Webhooks with the most open callouts">
            <Fullest rows={status.fullest} />
          </Section>
        </>
      )}
    </Page>
  );
}

function ReadAt({ status }: { readonly status: Status | undefined }) {
  if (status === undefined) return 'What is wrong, what is to be delivered, and which processes work on it.';
  return (
    <>
      What is wrong, what is to be delivered, and which processes work on it. Read <Time value={status.checkDateTime} />
      .
    </>
  );
}

function ToDeliver({ status }: { readonly status: Status }) {
  const { pendingEvents, openCallouts, pausedWebhooks, waitingMails, connections } = status;
  const { waitingHealthEvents, waitingOperatorMessages } = status;
  const since = (moment: string | null, what: string) =>
    moment !== null && (
      <>
        {what} <Time value={moment} />
      </>
    );
  return (
    <Section title="To deliver">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          label="Events to match"
          value={pendingEvents.count}
          note={since(pendingEvents.oldestDateTime, 'the oldest accepted')}
        />
        <Figure
          label="Callouts due"
          value={openCallouts.due}
          note={since(openCallouts.dueSinceDateTime, 'the first of them due')}
        />
        <Figure
          label="Being sent"
          value={openCallouts.beingSent}
          note={openCallouts.inLine > 0 && `${openCallouts.inLine.toLocaleString()} in line for their webhook`}
        />
        <Figure label="Beyond their rate" value={openCallouts.rate} note="their webhooks limit the calls" />
        <Figure label="Waiting to be fetched" value={openCallouts.toFetch} note="of webhooks with the URL pull:" />
        <Figure label="Due later" value={openCallouts.later} note="the time of their next attempt has not come" />
        <Figure label="Waiting for an earlier callout" value={openCallouts.waiting} note="go out in order" />
        <Figure
          label="Receiver down"
          value={openCallouts.paused}
          note={`paused webhooks: ${pausedWebhooks.toLocaleString()}`}
        />
        <Figure
          label="Held by a threshold"
          value={openCallouts.held}
          note={openCallouts.cancelling > 0 && `${openCallouts.cancelling.toLocaleString()} are to be cancelled`}
        />
        <Figure
          label="Mail waiting"
          value={waitingMails}
          note={
            <PageLink to="/operator/mail" size="xs">
              {waitingMails === 0 ? 'see all mail' : 'see why'}
            </PageLink>
          }
        />
        <Figure
          label="WebhookHealth events to make"
          value={waitingHealthEvents.count}
          note={since(waitingHealthEvents.oldestDateTime, 'the oldest of')}
        />
        <Figure
          label="Alerts for OPERATOR_ALERT_URL"
          value={waitingOperatorMessages.count}
          note={since(waitingOperatorMessages.oldestDateTime, 'the oldest of')}
        />
      </SimpleGrid>
      <Text c="dimmed">
        PostgreSQL: {connections.api} connections of APIs, {connections.worker} of workers, {connections.all} to this
        database; the server has {connections.server} of {connections.most}.
      </Text>
    </Section>
  );
}

function Fullest({ rows }: { readonly rows: Status['fullest'] }) {
  return (
    <RecordsTable
      label="Webhooks with most open callouts"
      rows={rows}
      keyOf={({ tenantID, entityType, webhookID }) => `${tenantID} ${entityType} ${webhookID}`}
      empty={{ title: 'Nothing is open', description: 'Every callout is delivered or cancelled, or has failed.' }}
      columns={[
        { title: 'Webhook', cell: ({ entityType, webhookID, name }) => `${name} (${entityType} ${webhookID})` },
        {
          title: 'Tenant',
          cell: ({ tenantID, tenantName }) => <TenantLink id={tenantID} name={tenantName} />,
        },
        {
          title: 'State',
          cell: ({ isActive, pausedUntilDateTime }) => (
            <StateBadge state={!isActive ? 'inactive' : pausedUntilDateTime === null ? 'active' : 'paused'} />
          ),
        },
        { title: 'Open', isNumber: true, cell: ({ openCallouts }) => openCallouts.toLocaleString() },
        { title: 'Last failure', cell: ({ lastFailure }) => lastFailure },
      ]}
    />
  );
}

const words: Readonly<Record<string, string>> = {
  keys: 'Open Keys',
  mail: 'Open Mail',
  queues: 'Open Queues',
  tenants: 'Open Tenants',
  retention: 'Open Retention',
};

/** What is wrong, urgent things first, each with a remedy. */
export function Problems({ problems }: { readonly problems: readonly InstallationProblem[] }) {
  if (problems.length === 0) {
    return (
      <Alert color="green" title="Nothing is wrong">
        All roles have a worker, nothing waits longer than it should, and every key is there.
      </Alert>
    );
  }
  return (
    <Stack gap="xs" component="section" aria-label="What is wrong">
      {problems.map(({ kind, severity, sentence, remedy, page }) => (
        <Alert key={`${kind} ${sentence}`} color={severity === 'urgent' ? 'red' : 'yellow'} title={sentence}>
          <Text>
            {remedy}{' '}
            {page !== null && (
              <PageLink to={`/operator/${page}`} underline="always">
                {words[page] ?? 'Open it'}
              </PageLink>
            )}
          </Text>
        </Alert>
      ))}
    </Stack>
  );
}
