import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { EventDetails } from './event-query.ts';
import { RecordsTable } from '../../parts/table/records-table.tsx';

/** The values in the event, changed values first; the many empty fields only on request. */
export function Values({ event }: { readonly event: EventDetails }) {
  const [hasAll, setAll] = useState(false);
  const all = [
    ...rowsOf(event.fields, event.changedFields),
    ...rowsOf(event.userDefinedFields, event.changedUserDefinedFields),
  ].toSorted((a, b) => Number(b.isChanged) - Number(a.isChanged));
  const rows = hasAll ? all : all.filter(({ value, isChanged }) => value !== null || isChanged);
  const hidden = all.length - rows.length;
  return (
    <Stack>
      <RecordsTable
        label="Values"
        rows={rows}
        keyOf={({ name }) => name}
        empty={{ title: 'No values', description: 'The event carried none.' }}
        columns={[
          {
            title: 'Field',
            cell: ({ name, isChanged }) => (
              <Group gap="xs" miw={{ sm: 220 }}>
                <Text fw={isChanged ? 600 : 400}>{name}</Text>
                {isChanged && (
                  <Badge variant="default" size="sm" tt="none">
                    changed
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            title: 'Value',
            cell: ({ value }) => (value === null ? <Text c="dimmed">empty</Text> : <Code>{value}</Code>),
          },
        ]}
      />
      {hidden > 0 && (
        <Button variant="default" mr="auto" className="no-print" onClick={() => setAll(true)}>
          Show {hidden === 1 ? '1 empty field' : `${hidden} empty fields`}
        </Button>
      )}
    </Stack>
  );
}

/** @param values texts, null where the field was empty. */
function rowsOf(values: Readonly<Record<string, unknown>> = {}, changed: readonly string[] = []) {
  return Object.entries(values).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : null,
    isChanged: changed.includes(name),
  }));
}
