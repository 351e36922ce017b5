import type { IncludedFields } from '@callout/domain/query/condition';
import type { Item } from './queried.ts';

const UDFS = 'userDefinedFields';

/** The fields of an item that a query selects; null = all of them. */
export function pickFields(item: Item, included: IncludedFields | null): Item {
  if (included === null) return item;
  const picked = Object.create(null) as Record<string, unknown>;
  for (const name of included.fields) {
    if (Object.hasOwn(item, name)) picked[name] = item[name];
  }
  const udfs = pickUdfs(item[UDFS], included.udfs);
  if (udfs !== undefined) picked[UDFS] = udfs;
  return picked;
}

function pickUdfs(values: unknown, included: IncludedFields['udfs']): unknown {
  if (included === 'all' || !Array.isArray(values)) return values;
  if (included.length === 0) return undefined;
  const names = new Set(included.map(({ name }) => name));
  return (values as { readonly name: string }[]).filter(({ name }) => names.has(name));
}
