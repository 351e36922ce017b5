import type { z } from 'zod';
import type { KeySpelling } from '../input/fold-keys.ts';
import type { Field, FieldTable, WholeWrite } from './field.ts';

type Inputs<Table extends FieldTable> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly input: z.ZodType } ? Name : never
  ]: Table[Name] extends { readonly input: infer Input extends z.ZodType } ? Input : never;
};

/** Readers for the keys of a body, of the fields with an input. */
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

/** The keys by which the body of an update identifies its target: clients send back the `itemId` of a response. */
export const updateIdKeys = { id: null, itemId: null } as const;

/** The known keys of a body, also keys that reads show, since clients send back what they have read. */
export function keysOf(table: FieldTable): KeySpelling {
  const keys = Object.entries<Field>(table).map(([name, { items, keys: ofObject = null }]) => [
    name,
    items === undefined ? ofObject : keysOf(items),
  ]);
  return { ...('id' in table && updateIdKeys), ...(Object.fromEntries(keys) as KeySpelling) };
}
