import type { Command } from 'commander';
import { jsonLine, printable, shortened, widthOf } from '../../printable.ts';
import type { CommandContext, Shown } from '../context.ts';

/** Prints the result of a command: JSON with `--json`, else text. */
export function show({ out, fail }: CommandContext, command: Command, shown: Shown): void {
  if (command.optsWithGlobals()['json'] === true) out.print(jsonLine(shown.data));
  else {
    if (shown.text !== '') out.print(shown.text);
    if (shown.note !== undefined) out.report(shown.note);
  }
  if (shown.isIncomplete === true) fail();
}

/** Shows a thing that was read, made or changed. */
export function showItem(context: CommandContext, command: Command, item: object, note?: string): void {
  show(context, command, { data: item, text: pairs(item), note });
}

/** Shows a list; `none` is the sentence for an empty one. */
export function showItems(
  context: CommandContext,
  command: Command,
  items: readonly object[],
  columns: readonly string[],
  none: string,
): void {
  show(context, command, { data: items, text: table(items, columns, none, context.out.columns) });
}

type Row = Readonly<Record<string, unknown>>;

/** A column is not made narrower than this. */
const narrowest = 8;
/** Ids and times are of no use when they are cut. */
const isWhole = (column: string) => /(?:^id|ID|GUID|UTC|webhook|state)$/u.test(column);

/**
 * Rows as a table with the columns named; `none` when there are no rows.
 * @param most columns of the terminal: columns without a value are left out, and the widest texts are cut, until a row
 * fits. Undefined: nothing is cut.
 */
export function table(rows: readonly object[], columns: readonly string[], none: string, most?: number): string {
  if (rows.length === 0) return none;
  const shown = isWithin(rows, columns, most) ? columns : columns.filter((column) => hasValue(rows, column));
  const cells = cellsOf(rows, shown);
  const widths = widthsOf(cells, shown);
  fit(widths, shown, most);
  return cells
    .map((line) => line.map((cell, at) => padded(shortened(cell, widths[at] ?? 0), widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Whether a table of the columns fits unchanged. */
export function isWithin(rows: readonly object[], columns: readonly string[], most: number | undefined): boolean {
  return most === undefined || totalOf(widthsOf(cellsOf(rows, columns), columns)) <= most;
}

/** Whether a column has a value in any row. */
export function hasValue(rows: readonly object[], column: string): boolean {
  return rows.some((row) => textOf((row as Row)[column]) !== '-');
}

const cellsOf = (rows: readonly object[], columns: readonly string[]) => [
  columns.map(headOf),
  ...rows.map((row) => columns.map((column) => textOf((row as Row)[column]))),
];

const widthsOf = (cells: readonly (readonly string[])[], columns: readonly string[]) =>
  columns.map((_, at) => Math.max(...cells.map((line) => widthOf(line[at] ?? ''))));

const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + 2, -2);

/** Narrows the widest columns, one after the other, until all fit or no column can be narrower. */
function fit(widths: number[], columns: readonly string[], most = Number.POSITIVE_INFINITY): void {
  while (totalOf(widths) > most) {
    const narrowed = columns.map((column, at) => (isWhole(column) ? 0 : (widths[at] ?? 0)));
    const widest = narrowed.indexOf(Math.max(...narrowed));
    if ((narrowed[widest] ?? 0) <= narrowest) return;
    widths[widest] = Math.max(narrowest, (widths[widest] ?? 0) - (totalOf(widths) - most));
  }
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** A thing, with a line for each property. */
export function pairs(thing: object): string {
  const lines = Object.entries(thing).map(([name, value]) => [headOf(name), textOf(value)] as const);
  const width = Math.max(...lines.map(([head]) => head.length));
  return lines.map(([head, value]) => `${head.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

/** `apiRequestsPerHour` → `API REQUESTS PER HOUR`. */
export function headOf(name: string): string {
  return name.replaceAll(/([a-z])([A-Z]|\d)/g, '$1 $2').toUpperCase();
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString();
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
