import { nearestName } from '@callout/domain/input/nearest-name';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { Route } from './route-table.ts';

interface Known {
  /** Before `/v1.0`. */
  readonly apiRoot: string;
  readonly routes: readonly Route[];
  readonly entities?: readonly EntityDefinition[];
}

/** Prefixes that callers add or omit: any root, any version. */
const BEFORE = /^(?:\/[^/]+)?\/v\d+(?:\.\d+)?(?=\/)/iu;

/**
 * The existing path that was probably meant by an unknown one: with root and version, or in the right spelling;
 * undefined when nothing is similar. Ids stay as they were given.
 */
export function nearestPath(path: string, { apiRoot, routes, entities = [] }: Known): string | undefined {
  const [given = '', ...rest] = segmentsOf(path.replace(BEFORE, ''));
  const collection = withCollectionName(given, entities);
  const known = routes.map((route) => segmentsOf(route.path));
  const first = nearestName(collection, new Set(known.map(([one = '']) => one)));
  const tails = known
    .filter((segments) => segments[0] === first && segments.length === rest.length + 1)
    .map((segments) => segments.slice(1).map((segment, at) => (segment.startsWith(':') ? rest[at] : segment)));
  const tail = nearestName(rest.join('/'), new Set(tails.map((segments) => segments.join('/'))));
  if (first === undefined || (tail === undefined && rest.length > 0)) return undefined;
  const nearest = [`/${apiRoot}/v1.0/${first}`, ...(tail === undefined ? [] : [tail])].join('/');
  // A path that exists needs no suggestion.
  return nearest.toLowerCase() === path.toLowerCase() ? undefined : nearest;
}

/** A collection named after its entity type, such as `AccountWebhooks`, under the name that its path has. */
function withCollectionName(given: string, entities: readonly EntityDefinition[]): string {
  const folded = given.toLowerCase();
  for (const { entityType, collection, webhookCollection, webhookSingular } of entities) {
    const type = entityType.toLowerCase();
    if (!folded.startsWith(type)) continue;
    const rest = folded.slice(type.length);
    if (rest === '' || rest === 's') return collection;
    if (rest === 'webhook') return webhookCollection;
    if (rest.startsWith('webhook') && webhookSingular !== '')
      return `${webhookSingular}${rest.slice('webhook'.length)}`;
  }
  return given;
}

const segmentsOf = (path: string) => path.split('/').slice(1);
