import { Problem } from '@callout/domain/problem';
import { idOfBody } from '@callout/webhooks/input/child-input';
import { MAX_SMALL_ID, pathId } from './path-id.ts';

/** The subject of an update, and whether the subject exists. */
interface Updated {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly exists: (id: number) => Promise<boolean>;
  /** The largest id of the collection; 32 bits by default. */
  readonly maxId?: number;
}

/**
 * Reads the body of an update. An update of a missing subject is 404, also when the body has errors. Existence is
 * checked only when the body is refused; otherwise the transaction of the update finds out.
 */
export async function readUpdate<T>(
  { params, body, exists, maxId = MAX_SMALL_ID }: Updated,
  read: () => T,
): Promise<T> {
  try {
    return read();
  } catch (error) {
    const isRefusal = error instanceof Problem && error.kind === 'invalid';
    const id = isRefusal ? idOf(params, body, maxId) : undefined;
    if (id !== undefined && (id > maxId || !(await exists(id)))) throw Problem.notFound();
    throw error;
  }
}

/** The id in the path, else in the body; undefined without either. */
function idOf(params: Updated['params'], body: unknown, maxId: number): number | undefined {
  return params['id'] === undefined ? idOfBody(body) : pathId(params['id'], maxId);
}
