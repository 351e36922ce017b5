import type { Command } from 'commander';
import type { CommandContext, Shown } from '../context.ts';

/** Prints what a command found: JSON for programs where `--json` was given, else text. */
export function show({ out, fail }: CommandContext, command: Command, shown: Shown): void {
  if (command.optsWithGlobals()['json'] === true) out.print(JSON.stringify(shown.data));
  else {
    if (shown.text !== '') out.print(shown.text);
    if (shown.note !== undefined) out.tell(shown.note);
  }
  if (shown.isIncomplete === true) fail();
}

type Row = Readonly<Record<string, unknown>>;

/** Rows as a table with the columns named; `none` when there are no rows. */
export function table(rows: readonly object[], columns: readonly string[], none: string): string {
  if (rows.length === 0) return none;
  const cells = [columns.map(headOf), ...rows.map((row) => columns.map((column) => textOf((row as Row)[column])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One thing, a line for each of its properties. */
export function pairs(thing: object): string {
  const lines = Object.entries(thing).map(([name, value]) => [headOf(name), textOf(value)] as const);
  const width = Math.max(...lines.map(([head]) => head.length));
  return lines.map(([head, value]) => `${head.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

/** `apiRequestsPerHour` → `API REQUESTS PER HOUR`. */
function headOf(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
