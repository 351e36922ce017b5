import type { Command } from 'commander';
import type { OperatorClient, OperatorSchemas as Schemas } from '@callout/client';
import { Problem } from '@callout/domain/problem';

const ITEMS_PER_PAGE = 500;

/** A page of a list, as the client answers with it. */
interface Answered<Item> {
  readonly data: { readonly items: readonly Item[]; readonly nextAfter: number | string | null };
}

/** All items of a list of the operator API, page by page. */
export async function allOf<Item>(
  read: (page: { limit: number; after?: never }) => Promise<Answered<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let after = {}; ;) {
    const { data } = await read({ limit: ITEMS_PER_PAGE, ...after });
    all.push(...data.items);
    if (data.nextAfter === null) return all;
    after = { after: data.nextAfter };
  }
}

/** The tenant that a command line names by id or by name. Throws a Problem `notFound`, or what the client throws. */
export async function tenantNamed(operator: OperatorClient, text: string): Promise<Schemas['Tenant']> {
  if (isId(text)) {
    return (await operator.GET('/tenants/{tenantId}', { params: { path: { tenantId: Number(text) } } })).data.item;
  }
  const found = await allOf((page) => operator.GET('/tenants', { params: { query: { ...page, search: text } } }));
  return named(found, text, `tenant ${JSON.stringify(text)}`);
}

/** The zone that a command line names by id or by name. Throws as `tenantNamed` does. */
export async function zoneNamed(operator: OperatorClient, text: string): Promise<Schemas['Zone']> {
  if (isId(text)) {
    return (await operator.GET('/zones/{zoneId}', { params: { path: { zoneId: Number(text) } } })).data.item;
  }
  const found = await allOf((query) => operator.GET('/zones', { params: { query } }));
  return named(found, text, `zone ${text}`);
}

function named<Item extends { readonly name: string }>(items: readonly Item[], text: string, what: string): Item {
  const found = items.find(({ name }) => name === text);
  if (found === undefined) throw Problem.notFound(`No matching records found: there is no ${what}`);
  return found;
}

/** Ids of zones and tenants fit into 32 bits; longer numerals can only be names. */
function isId(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

/** The given options, under their names in the body of a request. A `set` without any is an error. */
export function changesOf(command: Command, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const options = command.opts<Record<string, unknown>>();
  const given = Object.entries(names).filter(([option]) => options[option] !== undefined);
  if (given.length === 0) command.error('error: say what to change, with at least one option');
  return Object.fromEntries(given.map(([option, name]) => [name, options[option]]));
}
