import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { InstallationProblem } from '../../../api/operator.ts';

const words: Readonly<Record<string, string>> = {
  keys: 'Open Keys',
  mail: 'Open Mail',
  queues: 'Open Queues',
  tenants: 'Open Tenants',
  retention: 'Open Retention',
};

/** What is wrong, urgent things first, each with what to do about it. */
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
          <Text size="sm">
            {remedy}{' '}
            {page !== null && (
              <Anchor component={Link} to={`/operator/${page}`} size="sm" underline="always">
                {words[page] ?? 'Open it'}
              </Anchor>
            )}
          </Text>
        </Alert>
      ))}
    </Stack>
  );
}
