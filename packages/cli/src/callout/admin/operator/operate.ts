import type { OperatorClient } from '@callout/client';
import { requestOf } from '@callout/domain/operations/operation';
import { operations, type OperationName } from '@callout/domain/operations/operations';

/** The values of an operation, by the names of its parameters. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Carries out an operation of operators. Resolves with the body of its answer, whose type the caller names. Throws what
 * the client throws, or a Problem.
 */
export type Operate = <Answer>(name: OperationName, values?: Values) => Promise<Answer>;

/** Operations by the operator API. */
export function operateBy(client: OperatorClient): Operate {
  return async <Answer>(name: OperationName, values: Values = {}) => {
    const { path, query, body } = requestOf(operations[name], values);
    const method = operations[name].method.toLowerCase();
    const init = { params: { query }, ...(body !== undefined && { body }) };
    // Paths and bodies are made from the description; the types are those of a single operation.
    const { data } = await client.request(method as 'get', path as '/status', init as never);
    return data as Answer;
  };
}

interface Part {
  readonly nextAfter?: number | string | null;
}

/** The answers of an operation, part after part, until there is no more. */
export async function partsOf<Answer>(operate: Operate, name: OperationName, values: Values): Promise<Answer[]> {
  const parts: Answer[] = [];
  for (let after: Part['nextAfter']; after !== null;) {
    const answer = await operate<Part & { readonly item?: Part }>(name, { ...values, after });
    parts.push(answer as Answer);
    after = answer.nextAfter ?? answer.item?.nextAfter ?? null;
  }
  return parts;
}

const ITEMS_PER_PAGE = 500;

/** All items of a list. */
export async function allOf<Item>(operate: Operate, name: OperationName, values: Values = {}): Promise<Item[]> {
  const pages = await partsOf<{ items: Item[] }>(operate, name, { limit: ITEMS_PER_PAGE, ...values });
  return pages.flatMap(({ items }) => items);
}
