import type { OpenApiDocument, Operation } from './document-types.ts';

/** One operation of the document, and where it is. */
export interface DocumentedOperation {
  /** As in the document, without the prefix of the version. */
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The patterns of paths, made once for each operation. */
const patterns = new WeakMap<DocumentedOperation, RegExp>();

function patternOf(one: DocumentedOperation): RegExp {
  const known = patterns.get(one);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  patterns.set(one, pattern);
  return pattern;
}

/**
 * The operation that a call of `/v1.0` and this path meets; where several fit, metadata, and else the one with the fewest
 * placeholders: an id is no text.
 */
export function operationOf(
  operations: readonly DocumentedOperation[],
  method: string,
  path: string,
): DocumentedOperation | undefined {
  const [bare = ''] = path.split('?');
  const fits = operations.filter((one) => one.method === method && patternOf(one).test(`/v1.0${bare}`));
  const count = (one: DocumentedOperation) =>
    one.path.split('{').length - (one.path.includes('/entityInformation') ? 10 : 0);
  return fits.sort((a, b) => count(a) - count(b))[0];
}
