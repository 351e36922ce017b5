import { Alert, Anchor, Button, Group, Paper, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { entityOfType, pathOf } from '../../api/entities.ts';
import { BodyView } from '../../parts/body-view.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { calloutQuery, type CalloutDetails } from './callout-query.ts';
import { curlOf } from './curl.ts';

const route = getRouteApi('/callouts/$calloutId');

/** One callout: what was sent, what came back each time, and what it waits for. */
export default function CalloutPage() {
  const { calloutId } = route.useParams() as { calloutId: string };
  const callout = useQuery(calloutQuery(calloutId));
  if (callout.isError) {
    return <Problem title="The callout could not be read" error={callout.error} retry={() => void callout.refetch()} />;
  }
  if (!callout.data) return null;
  const { data } = callout;
  return (
    <Page
      title={data.kind === 'event' ? `Callout ${data.sequenceNumber}` : `The ${data.kind} callout`}
      lead={<span className="break-anywhere">{data.id}</span>}
      actions={
        <>
          <Copy value={curlOf(data)} label="Copy as curl" />
          <RedeliverButton callout={data} />
        </>
      }
    >
      <Facts callout={data} />
      <Paper withBorder p="md">
        <BodyView text={data.body} label="Body, exactly as it is signed and sent" />
      </Paper>
      <Title order={2}>Attempts</Title>
      {data.attempts.length === 0 && <Text c="dimmed">No request has been made yet.</Text>}
      {data.attempts.toReversed().map((attempt) => (
        <AttemptOf key={attempt.number} attempt={attempt} />
      ))}
    </Page>
  );
}

function Facts({ callout }: { readonly callout: CalloutDetails }) {
  const { state, waitsFor, cancelledBecause, entityType, webhookID, recordID, eventID, action } = callout;
  const entity = entityOfType(entityType);
  return (
    <Stack>
      {waitsFor && <Alert title="Why it is not delivered yet">{waitsFor.message}</Alert>}
      {cancelledBecause && (
        <Alert color="gray" title="Why it was cancelled">
          {cancelledBecause.message}
        </Alert>
      )}
      <Group gap="xl" align="flex-start">
        <Fact label="State">
          <StateBadge state={state} />
        </Fact>
        <Fact label="Webhook">
          <Anchor component={Link} to={`/webhooks/${entityType}/${webhookID}`}>
            {webhookID}
          </Anchor>
        </Fact>
        {recordID !== null && (
          <Fact label="Record">
            {entity?.one ?? entityType} {recordID}
          </Fact>
        )}
        <Fact label="Action">{action}</Fact>
        <Fact label="Made">
          <Time value={callout.createDateTime} />
        </Fact>
        {callout.finishedDateTime !== null && (
          <Fact label="Ended">
            <Time value={callout.finishedDateTime} />
          </Fact>
        )}
        {eventID != null && (
          <Fact label="Event">
            <Anchor component={Link} to={`/events/${encodeURIComponent(eventID)}`}>
              {eventID}
            </Anchor>
          </Fact>
        )}
      </Group>
    </Stack>
  );
}

type Attempt = CalloutDetails['attempts'][number];

function AttemptOf({ attempt }: { readonly attempt: Attempt }) {
  const { number, status, failure, note, durationMs, startDateTime, url } = attempt;
  return (
    <Paper withBorder p="md" component="section" aria-label={`Attempt ${number}`}>
      <Stack>
        <Group justify="space-between">
          <Text fw={600}>
            Attempt {number}: {status === null ? 'no answer' : `answered ${status}`} after {durationMs.toLocaleString()}{' '}
            ms
          </Text>
          <Time value={startDateTime} />
        </Group>
        {failure != null && <Alert color="red">{failure}</Alert>}
        {note != null && <Text size="sm">{note}</Text>}
        <Text size="sm" className="break-anywhere">
          POST {url}
        </Text>
        <Tabs defaultValue="answer" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="answer">Answer</Tabs.Tab>
            <Tabs.Tab value="request">Request headers</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="answer" pt="sm">
            <Stack>
              <Headers headers={attempt.responseHeaders} />
              {attempt.responseBody != null && (
                <BodyView
                  text={attempt.responseBody}
                  label={attempt.responseBodyEncoding === 'base64' ? 'Body, in base64' : 'Body'}
                />
              )}
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="request" pt="sm">
            <Headers headers={attempt.requestHeaders} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Paper>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> | null }) {
  if (headers === null) return <Text c="dimmed">No answer came.</Text>;
  return (
    <Table withRowBorders={false} verticalSpacing={2} aria-label="Headers">
      <Table.Tbody>
        {Object.entries(headers).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={240} fw={500}>
              {name}
            </Table.Th>
            <Table.Td className="break-anywhere">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function RedeliverButton({ callout }: { readonly callout: CalloutDetails }) {
  const queryClient = useQueryClient();
  const entity = entityOfType(callout.entityType);
  const redeliver = useMutation({
    mutationFn: async () => {
      if (entity === undefined) return;
      const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/Callouts/{calloutID}/redeliver');
      await api.POST(path, { params: { path: { id: callout.webhookID, calloutID: callout.id } } });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: calloutQuery(callout.id).queryKey }),
  });
  const isEnded = callout.finishedDateTime !== null && callout.kind === 'event';
  return (
    <>
      {redeliver.isError && <Problem title="It was not sent again" error={redeliver.error} />}
      <Button disabled={!isEnded} loading={redeliver.isPending} onClick={() => redeliver.mutate()}>
        Redeliver
      </Button>
    </>
  );
}
