import { Code, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { explanationQuery } from './event-query.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { RulesList } from '../../parts/show/rules-list.tsx';

interface ExplanationProps {
  readonly eventID: string;
  readonly webhookGUID: string;
  /** The name of the webhook, where known. */
  readonly name: string | undefined;
}

/** Why a webhook got a callout, or no callout: each rule with the outcome, and the fields side by side. */
export function Explanation({ eventID, webhookGUID, name }: ExplanationProps) {
  const { data, error, refetch } = useQuery(explanationQuery(eventID, webhookGUID));
  if (error) return <Problem title="It could not be explained" error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Explanation">
      <Stack>
        <Title order={3}>
          Why {name ?? `webhook ${data.webhookID}`} {data.getsCallout === true ? 'got a callout' : 'got none'}
        </Title>
        <Text>{data.message}</Text>
        {data.rules && <RulesList rules={data.rules} />}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Fact label="Changed">{namesText(data.changedFields, data.changedUserDefinedFields)}</Fact>
          <Fact label="Watched now">{namesText(data.subscribedFields, data.subscribedUserDefinedFields)}</Fact>
          <Fact label="In both">{namesText(data.firedFields, data.firedUserDefinedFields)}</Fact>
        </SimpleGrid>
        {data.previousFields && <Before values={{ ...data.previousFields, ...data.previousUserDefinedFields }} />}
      </Stack>
    </Paper>
  );
}

/** What the callouts of a webhook with previous values say: texts, null for what was empty. */
function Before({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const knownValues = Object.entries(values);
  return (
    <Fact label="Before the event, as its callout says">
      {knownValues.length === 0 && 'Nothing was known.'}
      {knownValues.map(([name, value]) => (
        <div key={name}>
          {name}: {typeof value === 'string' ? <Code>{value}</Code> : 'empty'}
        </div>
      ))}
    </Fact>
  );
}

const namesText = (...lists: readonly (readonly string[] | null | undefined)[]): string =>
  lists.flatMap((names) => names ?? []).join(', ') || 'none';
