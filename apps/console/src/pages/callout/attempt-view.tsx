import { Alert, Group, Paper, Stack, Tabs, Text } from '@mantine/core';
import type { CalloutDetails } from './callout-query.ts';
import { BodyView, HeadersTable } from '../../parts/show/code.tsx';
import { Time } from '../../parts/show/time.tsx';

interface AttemptViewProps {
  readonly attempt: CalloutDetails['attempts'][number];
  /** What was sent. */
  readonly body: string;
}

/** Both sides of an exchange. */
export function AttemptView({ attempt, body }: AttemptViewProps) {
  const { number, status, failure, note, durationMs, startDateTime, url, nextAttemptDateTime } = attempt;
  const name = number === 0 ? 'Probe' : `Attempt ${number}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack>
        <Group justify="space-between">
          <Text fw={600}>
            {name}: {status === null ? 'no answer' : `answered ${status}`} after {durationMs.toLocaleString()} ms
          </Text>
          <Time value={startDateTime} />
        </Group>
        {failure != null && <Alert color="red">{failure}</Alert>}
        {note != null && <Text>{note}</Text>}
        {nextAttemptDateTime !== null && (
          <Text c="dimmed">
            {number === 0 ? 'It does not count as an attempt' : 'After it'}, the next attempt was planned for{' '}
            <Time value={nextAttemptDateTime} />.
          </Text>
        )}
        <Text className="break-anywhere">POST {url}</Text>
        <Tabs defaultValue="answer" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="answer">Answer</Tabs.Tab>
            <Tabs.Tab value="request">Request</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="answer" pt="sm">
            <Answer attempt={attempt} />
          </Tabs.Panel>
          <Tabs.Panel value="request" pt="sm">
            <Stack>
              <HeadersTable headers={attempt.requestHeaders} />
              <BodyView text={body} label={`Body of ${name.toLowerCase()}`} />
            </Stack>
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Paper>
  );
}

function Answer({ attempt }: Pick<AttemptViewProps, 'attempt'>) {
  const { responseHeaders, responseBody, responseBodyEncoding } = attempt;
  if (responseHeaders === null) return <Text c="dimmed">No answer came.</Text>;
  return (
    <Stack>
      <HeadersTable headers={responseHeaders} />
      {responseBody !== null && (
        <BodyView
          text={responseBody}
          label={`Answer to attempt ${attempt.number}${responseBodyEncoding === 'base64' ? ', in base64' : ''}`}
        />
      )}
    </Stack>
  );
}
