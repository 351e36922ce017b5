import { Badge, Code, Group, Text } from '@mantine/core';
import type { EventDetails } from './event-query.ts';
import { RecordsTable } from '../../parts/table/records-table.tsx';

/** The values that the event carried, the changed ones first. */
export function Values({ event }: { readonly event: EventDetails }) {
  const rows = [
    ...rowsOf(event.fields, event.changedFields),
    ...rowsOf(event.userDefinedFields, event.changedUserDefinedFields),
  ].toSorted((a, b) => Number(b.isChanged) - Number(a.isChanged));
  return (
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
