import { Table, UnstyledButton } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { tableRoles } from './table-roles.ts';

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
export function SortHeading({ column: { title, isNumber, sort: own }, sort, onSort }: SortHeadingProps) {
  const align = isNumber ? 'right' : 'left';
  if (own === undefined || onSort === undefined) {
    return (
      <Table.Th {...tableRoles.heading} ta={align}>
        {title}
      </Table.Th>
    );
  }
  const direction = sort === own ? 'ascending' : sort === `-${own}` ? 'descending' : 'none';
  return (
    <Table.Th {...tableRoles.heading} ta={align} aria-sort={direction} className="sortable">
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        c="inherit"
        className="with-icon"
        onClick={() => onSort(direction === 'ascending' ? `-${own}` : own)}
      >
        {title} <Icon of={signs[direction]} size={14} />
      </UnstyledButton>
    </Table.Th>
  );
}
