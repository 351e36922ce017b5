import { Table, UnstyledButton } from '@mantine/core';

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
export function SortHeading({ column: { title, isNumber, sort: own }, sort, onSort }: SortHeadingProps) {
  const align = isNumber ? 'right' : 'left';
  if (own === undefined || onSort === undefined) return <Table.Th ta={align}>{title}</Table.Th>;
  const direction = sort === own ? 'ascending' : sort === `-${own}` ? 'descending' : 'none';
  return (
    <Table.Th ta={align} aria-sort={direction}>
      <UnstyledButton fz="sm" fw={700} onClick={() => onSort(direction === 'ascending' ? `-${own}` : own)}>
        {title} <span aria-hidden>{{ ascending: '↑', descending: '↓', none: '↕' }[direction]}</span>
      </UnstyledButton>
    </Table.Th>
  );
}
