import { Problem } from '@callout/core/errors';
import { idOfBody } from '@callout/core/webhook';
import { MAX_SMALL_ID, pathId } from './path/path-id.ts';

/** What an update is about, and whether that is there. */
interface Updated {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly exists: (id: number) => Promise<boolean>;
  /** What ids of the collection can be at most; 32 bits when it is left out. */
  readonly maxId?: number;
}

/**
 * Reads the body of an update. What is wrong with a body is of no interest where there is nothing to update: then it is
 * 404, whatever else is wrong. That is looked up only when the body is refused; the update itself finds out in its
 * transaction.
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

/** The id in the path, else the one in the body; undefined when neither says what is to be updated. */
function idOf(params: Updated['params'], body: unknown, maxId: number): number | undefined {
  return params['id'] === undefined ? idOfBody(body) : pathId(params['id'], maxId);
}
