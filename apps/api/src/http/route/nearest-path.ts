import { nearestName } from '@callout/domain/input/nearest-name';
import type { Route } from './route-table.ts';

interface Known {
  /** Before `/v1.0`. */
  readonly apiRoot: string;
  readonly routes: readonly Route[];
}

/** Prefixes that callers add or omit: any root, any version. */
const BEFORE = /^(?:\/[^/]+)?\/v\d+(?:\.\d+)?(?=\/)/iu;

/**
 * The existing path that was probably meant by an unknown one: with root and version, or in the right spelling;
 * undefined when nothing is similar. Ids stay as they were given.
 */
export function nearestPath(path: string, { apiRoot, routes }: Known): string | undefined {
  const [collection = '', ...rest] = segmentsOf(path.replace(BEFORE, ''));
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

const segmentsOf = (path: string) => path.split('/').slice(1);
