import { Button, Center, Checkbox, EmptyState, Stack, Table, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { Icon } from '../icon.tsx';
import { isUnreadable, Problem, Reading } from '../loaded.tsx';
import { TableBox } from './scroll-box.tsx';

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

const signs = { ascending: 'arrowUp', descending: 'arrowDown', none: 'arrowsSort' } as const;

/** What stands above a column. */
export interface Heading {
  readonly title: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** What the rows are sorted by when the title is pressed; undefined: they cannot be. */
  readonly sort?: string;
}

interface SortHeadingProps {
  readonly column: Heading;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}

/** The title of a column; pressing it sorts the rows, pressing it again turns them round. */
export function SortHeading({ column: { title, isNumber, sort: ownSort }, sort, onSort }: SortHeadingProps) {
  const align = isNumber ? 'right' : 'left';
  if (ownSort === undefined || onSort === undefined) {
    return (
      <Table.Th {...tableRoles.heading} ta={align}>
        {title}
      </Table.Th>
    );
  }
  const direction = sort === ownSort ? 'ascending' : sort === `-${ownSort}` ? 'descending' : 'none';
  return (
    <Table.Th {...tableRoles.heading} ta={align} aria-sort={direction} className="sortable">
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        c="inherit"
        className="with-icon"
        onClick={() => onSort(direction === 'ascending' ? `-${ownSort}` : ownSort)}
      >
        {title} <Icon of={signs[direction]} size={14} />
      </UnstyledButton>
    </Table.Th>
  );
}

/** Browsers that draw the parts of a table as blocks, as on a phone, may forget that they are those of a table. */
export const tableRoles = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

/** What a table shows of a query: its rows, why there are none, and a way to read them again. */
export function rowsOf<Row>({ data, error, refetch }: UseQueryResult<readonly Row[]>) {
  return { rows: data, error, retry: () => void refetch() };
}

/** The same of a query that is read page by page, and the way to the next page. */
export function pagesOf<Row>(query: UseInfiniteQueryResult<InfiniteData<{ items: readonly Row[] }>>) {
  return {
    rows: query.data?.pages.flatMap(({ items }) => items),
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isReadingMore: query.isFetchingNextPage,
  };
}
