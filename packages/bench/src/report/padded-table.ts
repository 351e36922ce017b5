/**
 * A Markdown table, its columns padded, so that it reads well in a terminal too. The first column is text, the others are
 * numbers. @param rows the head first; all of the same length. @param texts how many columns are text, from the first on.
 */
export function paddedTable(rows: readonly (readonly string[])[], texts = 1): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const pad = (cell: string, column: number) =>
    column < texts ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]) => `| ${row.map(pad).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}
