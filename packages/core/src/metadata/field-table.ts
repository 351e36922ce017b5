import type { z } from 'zod';
import type { KeySpelling } from '../input/fold-keys.ts';
import type { Field, FieldTable, WholeWrite } from './field.ts';

type Inputs<Table extends FieldTable> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly input: z.ZodType } ? Name : never
  ]: Table[Name] extends { readonly input: infer Input extends z.ZodType } ? Input : never;
};

/** How the keys of a body are read that a table has an input for. */
export function inputsOf<Table extends FieldTable>(table: Table): Inputs<Table> {
  const inputs = Object.entries<Field>(table).flatMap(([name, { input }]) =>
    input === undefined ? [] : [[name, input]],
  );
  return Object.fromEntries(inputs) as Inputs<Table>;
}

/** The fields that a write must have. */
export function requiredOf(table: FieldTable, write: WholeWrite): string[] {
  return Object.keys(table).filter((name) => table[name]?.requiredOf?.includes(write) === true);
}

/** The keys under which the body of an update names what is updated: clients send back the `itemId` of an answer. */
export const updateIdKeys = { id: null, itemId: null } as const;

/** The keys that mean something in a body: also what reads show, since clients send back what they have read. */
export function keysOf(table: FieldTable): KeySpelling {
  const keys = Object.entries(table).map(([name, { items }]) => [name, items === undefined ? null : keysOf(items)]);
  return { ...('id' in table && updateIdKeys), ...(Object.fromEntries(keys) as KeySpelling) };
}
