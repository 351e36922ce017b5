/** Browsers that draw the parts of a table as blocks, as on a phone, may forget that they are those of a table. */
export const tableRoles = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;
