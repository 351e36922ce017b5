import { nearestName } from '@callout/core/input';
import type { Route } from '../route-table.ts';

interface Known {
  /** Before `/v1.0`. */
  readonly apiRoot: string;
  readonly routes: readonly Route[];
}

/** What callers put before a path, or leave out: any root, any version. */
const BEFORE = /^(?:\/[^/]+)?\/v\d+(?:\.\d+)?(?=\/)/iu;

/**
 * The path that was probably meant by one that is not there: with root and version before it, or spelled as it should be;
 * undefined when nothing is like it. Ids stay as they were given.
 */
export function nearestPath(path: string, { apiRoot, routes }: Known): string | undefined {
  const before = `/${apiRoot}/v1.0`;
  const given = path.replace(BEFORE, '').split('/').slice(1);
  const [collection = ''] = given;
  const collections = new Set(routes.map((route) => segmentsOf(route)[0] ?? ''));
  const first = sameName(collection, collections) ?? nearestName(collection, collections);
  if (first === undefined) return undefined;
  const rest = given.slice(1);
  if (rest.length === 0) return other(`${before}/${first}`, path);
  const tails = new Set(
    routes
      .map(segmentsOf)
      .filter((segments) => segments[0] === first && segments.length === given.length)
      .map((segments) => filled(segments.slice(1), rest)),
  );
  const wanted = rest.join('/');
  const tail = sameName(wanted, tails) ?? nearestName(wanted, tails);
  return tail === undefined ? undefined : other(`${before}/${first}/${tail}`, path);
}

/** What is there already is no better than itself. */
const other = (nearest: string, path: string) => (nearest.toLowerCase() === path.toLowerCase() ? undefined : nearest);

const segmentsOf = ({ path }: Route) => path.split('/').slice(1);

/** With what was given in the places of ids. */
function filled(segments: readonly string[], given: readonly string[]): string {
  return segments.map((segment, at) => (segment.startsWith(':') ? (given[at] ?? segment) : segment)).join('/');
}

function sameName(name: string, known: Iterable<string>): string | undefined {
  for (const one of known) if (one.toLowerCase() === name.toLowerCase()) return one;
  return undefined;
}
