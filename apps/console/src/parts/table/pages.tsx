import { Group, Pagination, Text } from '@mantine/core';

interface PagesProps {
  /** From 1. */
  readonly page: number;
  readonly rowsOfPage: number;
  /** Of all pages. */
  readonly total: number;
  readonly onChange: (page: number) => void;
}

/** Which rows of how many are shown, and the way to the others. */
export function Pages({ page, rowsOfPage, total, onChange }: PagesProps) {
  if (total === 0) return null;
  const first = (page - 1) * rowsOfPage + 1;
  return (
    <Group justify="space-between">
      <Text c="dimmed" component="output">
        {first.toLocaleString()} to {Math.min(total, first + rowsOfPage - 1).toLocaleString()} of{' '}
        {total.toLocaleString()}
      </Text>
      {total > rowsOfPage && (
        <Pagination
          className="no-print"
          component="nav"
          aria-label="Pages of the list"
          value={page}
          onChange={onChange}
          total={Math.ceil(total / rowsOfPage)}
          siblings={1}
          size="sm"
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          getControlProps={(control) => ({ 'aria-label': `${control[0]?.toUpperCase()}${control.slice(1)} page` })}
        />
      )}
    </Group>
  );
}
