import { Button, Center, EmptyState, Skeleton, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
}

interface RecordsTableProps<Row> {
  /** What the rows are, for readers of the screen. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined: they are being read. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly error?: Error | null;
  readonly retry?: () => void;
  /** What to say and to do when there are none. */
  readonly empty: { readonly title: string; readonly description: ReactNode };
  /** Reads the next page; undefined: there is none. */
  readonly more?: (() => void) | undefined;
  readonly isReadingMore?: boolean;
}

/** Rows of anything: while they are read, when there are none, when they cannot be read, and page by page. */
export function RecordsTable<Row>(props: RecordsTableProps<Row>) {
  const { label, columns, rows, keyOf, error, retry, empty, more, isReadingMore } = props;
  if (error) return <Problem title={`${label} could not be read`} error={error} retry={retry} />;
  if (rows === undefined) {
    return (
      <Stack gap="xs" aria-busy aria-label={`Reading ${label}`}>
        {['a', 'b', 'c'].map((key) => (
          <Skeleton key={key} height={36} />
        ))}
      </Stack>
    );
  }
  if (rows.length === 0) return <EmptyState title={empty.title} description={empty.description} />;
  return (
    <Stack>
      <Table.ScrollContainer minWidth={480} type="native">
        <Table highlightOnHover verticalSpacing="xs" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, isNumber }) => (
                <Table.Th key={title} ta={isNumber ? 'right' : 'left'}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ title, cell, isNumber }) => (
                  <Table.Td key={title} ta={isNumber ? 'right' : 'left'} className="break-anywhere">
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {more && (
        <Center>
          <Button variant="default" onClick={more} loading={isReadingMore ?? false}>
            Show more
          </Button>
        </Center>
      )}
    </Stack>
  );
}
