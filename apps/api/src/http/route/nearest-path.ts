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
 * The existing path that is most similar to an unknown path: with root and version, or in the right spelling; undefined
 * without a similar path. Ids stay.
 */
export function nearestPath(path: string, { apiRoot, routes, entities = [] }: Known): string | undefined {
  const [firstSegment = '', ...rest] = segmentsOf(path.replace(BEFORE, ''));
  const collection = withCollectionName(firstSegment, entities);
  const routeSegments = routes.map((route) => segmentsOf(route.path));
  const first = nearestName(collection, new Set(routeSegments.map(([one = '']) => one)));
  const tails = routeSegments
    .filter((segments) => segments[0] === first && segments.length === rest.length + 1)
    .map((segments) => segments.slice(1).map((segment, at) => (segment.startsWith(':') ? rest[at] : segment)));
  const tail = nearestName(rest.join('/'), new Set(tails.map((segments) => segments.join('/'))));
  if (first === undefined || (tail === undefined && rest.length > 0)) return undefined;
  const nearest = [`/${apiRoot}/v1.0/${first}`, ...(tail === undefined ? [] : [tail])].join('/');
  // An existing path needs no suggestion.
  return nearest.toLowerCase() === path.toLowerCase() ? undefined : nearest;
}

/** A collection named after the entity type, like `AccountWebhooks`, under the name in paths. */
function withCollectionName(firstSegment: string, entities: readonly EntityDefinition[]): string {
  const folded = firstSegment.toLowerCase();
  for (const { entityType, collection, webhookCollection, webhookSingular } of entities) {
    const type = entityType.toLowerCase();
    if (!folded.startsWith(type)) continue;
    const rest = folded.slice(type.length);
    if (rest === '' || rest === 's') return collection;
    if (rest === 'webhook') return webhookCollection;
    if (rest.startsWith('webhook') && webhookSingular !== '')
      return `${webhookSingular}${rest.slice('webhook'.length)}`;
  }
  return firstSegment;
}

const segmentsOf = (path: string) => path.split('/').slice(1);
