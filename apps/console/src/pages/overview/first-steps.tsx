import { List, Paper, Stack, Text, Title } from '@mantine/core';
import { PageButton } from '../../parts/show/links.tsx';

/** What to do where there is no webhook yet. */
export function FirstSteps({ mayCreate }: { readonly mayCreate: boolean }) {
  return (
    <Paper withBorder p="xl" component="section" aria-label="First steps">
      <Stack align="flex-start">
        <Title order={2}>Create your first webhook</Title>
        <Text maw={640}>
          A webhook tells your program when a record changes: Callout sends it a signed HTTP request, in order, and
          tries again until it is taken.
        </Text>
        <List type="ordered" spacing="xs">
          <List.Item>
            Choose what to follow, such as the phone number of companies, and give the address of your program.
          </List.Item>
          <List.Item>Send a test from the webhook’s page, and see what your program answers.</List.Item>
          <List.Item>Change a record. Its callout arrives, and shows among the webhook’s deliveries.</List.Item>
        </List>
        {mayCreate ? (
          <PageButton to="/webhooks/new">Create a webhook</PageButton>
        ) : (
          <Text c="dimmed">
            Your resource may not make webhooks. Ask an operator to allow it: callout admin resources set &lt;id&gt;
            --tenant &lt;tenant&gt; --can-create-webhooks true.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
