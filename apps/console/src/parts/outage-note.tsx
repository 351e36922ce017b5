import { Alert, Button, Group, Text } from '@mantine/core';
import { suspectOutage, useOutage } from '../api/outage.ts';

/** Says that the API is away, above every page; the page stays, and is read again when it is back. */
export function OutageNote() {
  if (!useOutage()) return null;
  return (
    <Alert color="yellow" variant="filled" autoContrast className="outage-note no-print" role="alert">
      <Group justify="space-between" gap="xs">
        <Text fw={500}>The API does not answer. What you see stays, and is updated as soon as the API is back.</Text>
        <Button size="compact-sm" variant="default" onClick={suspectOutage}>
          Try now
        </Button>
      </Group>
    </Alert>
  );
}
