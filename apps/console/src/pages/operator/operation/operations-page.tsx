import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type OperationName, operationNames, operations } from '@callout/domain/operations/operations';
import { Page, Section } from '../../../parts/page.tsx';
import { labelOf } from './operation-fields.tsx';
import { OperationDialog } from './operation-dialog.tsx';

/** Operations that change something; pages read the others. */
const changing = operationNames.filter((name) => operations[name].method !== 'GET');
const groups = [...new Set(changing.map((name) => operations[name].command[0]))].map((group) => ({
  group,
  names: changing.filter((name) => operations[name].command[0] === group),
}));

/** Everything an operator may do, each operation with a dialog: a new operation needs no page. */
export default function OperationsPage() {
  const [openName, setOpenName] = useState<OperationName | null>(null);
  return (
    <Page
      title="Operations"
      lead="Everything that an operator may do. The other pages offer the same where it belongs."
    >
      {openName !== null && <OperationDialog key={openName} name={openName} onClose={() => setOpenName(null)} />}
      {groups.map(({ group, names }) => (
        <Section key={group} title={labelOf(group.replace('-', ' '))}>
          {names.map((name) => (
            <Group key={name} justify="space-between" wrap="nowrap" align="flex-start">
              <Stack gap={0}>
                <Text fw={600}>{operations[name].summary}</Text>
                <Text c="dimmed">{`callout admin ${operations[name].command.join(' ')}`}</Text>
              </Stack>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Open: ${operations[name].summary}`}
                onClick={() => setOpenName(name)}
              >
                Open
              </Button>
            </Group>
          ))}
        </Section>
      ))}
    </Page>
  );
}
