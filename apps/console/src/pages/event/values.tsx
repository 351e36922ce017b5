import { Badge, Code, Group, Table, Text } from '@mantine/core';
import { TableBox } from '../../parts/table/scroll-box.tsx';
import type { EventDetails } from './event-query.ts';

/** The values that the event carried, the changed ones first. */
export function Values({ event }: { readonly event: EventDetails }) {
  const rows = [
    ...rowsOf(event.fields, event.changedFields),
    ...rowsOf(event.userDefinedFields, event.changedUserDefinedFields),
  ].toSorted((a, b) => Number(b.isChanged) - Number(a.isChanged));
  if (rows.length === 0) return <Text c="dimmed">It had no values.</Text>;
  return (
    <TableBox minWidth={320}>
      <Table verticalSpacing={6} aria-label="Values" maw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, value, isChanged }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Group gap="xs">
                  <Text size="sm" fw={isChanged ? 600 : 400} className="break-anywhere">
                    {name}
                  </Text>
                  {isChanged && (
                    <Badge variant="default" size="sm" tt="none">
                      changed
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td className="break-anywhere">
                {value === null ? (
                  <Text size="sm" c="dimmed">
                    empty
                  </Text>
                ) : (
                  <Code>{value}</Code>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableBox>
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
