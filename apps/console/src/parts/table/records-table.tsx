import { Button, Center, Checkbox, EmptyState, Stack, Table } from '@mantine/core';
import { TableBox } from './scroll-box.tsx';
import type { ReactNode } from 'react';
import { isUnreadable, Problem } from '../problem.tsx';
import { Reading } from '../reading.tsx';
import { type Heading, SortHeading } from './sort-heading.tsx';
import { tableRoles } from './table-roles.ts';

export interface Column<Row> extends Heading {
  readonly cell: (row: Row) => ReactNode;
}

/** Rows that can be picked, to do something about many of them. */
export interface Selection<Row> {
  readonly isSelected: (row: Row) => boolean;
  /** Undefined: the row cannot be picked. */
  readonly nameOf: (row: Row) => string | undefined;
  readonly set: (rows: readonly Row[], isSelected: boolean) => void;
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
  /** Pixels that the columns need; a narrower table scrolls. By the number of columns unless given. */
  readonly minWidth?: number;
  /** Puts a checkbox before each row. */
  readonly selection?: Selection<Row> | undefined;
  /** What the rows are sorted by, such as `name`, or `-name` backwards. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
}

/** Rows of anything: while they are read, when there are none, when they cannot be read, and page by page. */
export function RecordsTable<Row>(props: RecordsTableProps<Row>) {
  const { label, columns, rows, keyOf, error, retry, empty, more, isReadingMore, selection, sort, onSort } = props;
  // Without it a narrow window breaks each word; on a phone each row is a card, which needs no width.
  const { minWidth = Math.max(480, columns.length * 115) } = props;
  if (error && isUnreadable({ data: rows, error })) {
    return <Problem title={`${label} could not be read`} error={error} retry={retry} />;
  }
  if (rows === undefined) return <Reading label={label} />;
  if (rows.length === 0) return <EmptyState title={empty.title} description={empty.description} />;
  return (
    <Stack>
      {error && <Problem title={`${label} could not be read again`} error={error} retry={retry} />}
      <TableBox minWidth={minWidth}>
        <Table highlightOnHover className="cards-on-phones" {...tableRoles.table} aria-label={label}>
          <Table.Thead {...tableRoles.rows}>
            <Table.Tr {...tableRoles.row}>
              {selection && <SelectAll rows={rows} selection={selection} />}
              {columns.map((column) => (
                <SortHeading key={column.title} column={column} sort={sort} onSort={onSort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody {...tableRoles.rows}>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)} {...tableRoles.row}>
                {selection && <SelectOne row={row} selection={selection} />}
                {columns.map(({ title, cell, isNumber }) => (
                  <Table.Td
                    key={title}
                    {...tableRoles.cell}
                    data-title={title}
                    ta={isNumber ? 'right' : 'left'}
                    className="break-anywhere"
                  >
                    <div>{cell(row)}</div>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableBox>
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

interface SelectAllProps<Row> {
  readonly rows: readonly Row[];
  readonly selection: Selection<Row>;
}

function SelectAll<Row>({ rows, selection }: SelectAllProps<Row>) {
  const pickable = rows.filter((row) => selection.nameOf(row) !== undefined);
  const picked = pickable.filter((row) => selection.isSelected(row)).length;
  return (
    <Table.Th w={36} {...tableRoles.heading} className="no-print pick">
      <Checkbox
        size="xs"
        aria-label="Select all that are shown"
        disabled={pickable.length === 0}
        checked={picked > 0 && picked === pickable.length}
        indeterminate={picked > 0 && picked < pickable.length}
        onChange={(event) => selection.set(pickable, event.currentTarget.checked)}
      />
    </Table.Th>
  );
}

interface SelectOneProps<Row> {
  readonly row: Row;
  readonly selection: Selection<Row>;
}

function SelectOne<Row>({ row, selection }: SelectOneProps<Row>) {
  const name = selection.nameOf(row);
  return (
    <Table.Td {...tableRoles.cell} className="no-print pick">
      {name !== undefined && (
        <Checkbox
          size="xs"
          aria-label={`Select ${name}`}
          checked={selection.isSelected(row)}
          onChange={(event) => selection.set([row], event.currentTarget.checked)}
        />
      )}
    </Table.Td>
  );
}
