import { nearestName } from '@callout/domain/input/nearest-name';
import type { Route } from '../route-table.ts';

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

/** A path that exists needs no suggestion. */
const other = (nearest: string, path: string) => (nearest.toLowerCase() === path.toLowerCase() ? undefined : nearest);

const segmentsOf = ({ path }: Route) => path.split('/').slice(1);

/** With the given values in the places of ids. */
function filled(segments: readonly string[], given: readonly string[]): string {
  return segments.map((segment, at) => (segment.startsWith(':') ? (given[at] ?? segment) : segment)).join('/');
}

function sameName(name: string, known: Iterable<string>): string | undefined {
  for (const one of known) if (one.toLowerCase() === name.toLowerCase()) return one;
  return undefined;
}
