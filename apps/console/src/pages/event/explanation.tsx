import { Code, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../parts/problem.tsx';
import { explanationQuery } from './event-query.ts';

interface ExplanationProps {
  readonly eventID: string;
  readonly webhookGUID: string;
  /** Of the webhook, where it is known. */
  readonly name: string | undefined;
}

/** Why one webhook got a callout, or none: each rule with its outcome, and the fields side by side. */
export function Explanation({ eventID, webhookGUID, name }: ExplanationProps) {
  const { data, error, refetch } = useQuery(explanationQuery(eventID, webhookGUID));
  if (error) return <Problem title="It could not be explained" error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Explanation">
      <Stack>
        <Title order={3}>
          Why {name ?? `webhook ${data.webhookID}`} {data.owed === true ? 'got a callout' : 'got none'}
        </Title>
        <Text>{data.message}</Text>
        {data.rules && (
          <List size="sm" spacing={4}>
            {data.rules.map(({ rule, blocks, message }) => (
              <List.Item key={rule} icon={<span aria-hidden>{blocks ? '✕' : '✓'}</span>}>
                {message}
              </List.Item>
            ))}
          </List>
        )}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Names title="Changed" names={[...data.changedFields, ...data.changedUserDefinedFields]} />
          <Names
            title="Subscribed now"
            names={[...(data.subscribedFields ?? []), ...(data.subscribedUserDefinedFields ?? [])]}
          />
          <Names title="In both" names={[...(data.firedFields ?? []), ...(data.firedUserDefinedFields ?? [])]} />
        </SimpleGrid>
        {data.previousFields && <Before values={{ ...data.previousFields, ...data.previousUserDefinedFields }} />}
      </Stack>
    </Paper>
  );
}

/** What the callouts of a webhook with previous values say: texts, null for what was empty. */
function Before({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const known = Object.entries(values);
  return (
    <div>
      <Text size="xs" c="dimmed">
        Before the event, as its callout says
      </Text>
      {known.length === 0 && <Text size="sm">Nothing was known.</Text>}
      {known.map(([name, value]) => (
        <Text key={name} size="sm" className="break-anywhere">
          {name}: {typeof value === 'string' ? <Code>{value}</Code> : 'empty'}
        </Text>
      ))}
    </div>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text size="sm" className="break-anywhere">
        {names.length === 0 ? 'none' : names.join(', ')}
      </Text>
    </div>
  );
}
