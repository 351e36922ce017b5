import type { ProblemDetail } from '../problem.ts';
import { idInput } from './input-schemas.ts';
import { type Body, readKeys, refuseKey } from './read-keys.ts';

/**
 * The id of an update: in the path, under `id` or under `itemId`, always the same. undefined, with a sentence added to
 * `problems`, without an id.
 */
export function readUpdateId(body: Body, inPath: number | undefined, problems: ProblemDetail[]): number | undefined {
  const isNowhere = inPath === undefined && (body['itemId'] ?? null) === null;
  const shape = { id: idInput, itemId: idInput };
  const { id, itemId } = readKeys(body, shape, problems, { nullIsAbsent: true });
  if (isNowhere && (body['id'] ?? null) === null) {
    refuseKey(problems, 'id', 'is required: in the body, or at the end of the path', 'required');
  }
  refuseOther('id', id, inPath, problems);
  refuseOther('itemId', itemId, inPath, problems);
  if (inPath === undefined && id !== undefined && itemId !== undefined && id !== itemId) {
    refuseKey(problems, 'itemId', `is ${itemId} and id is ${id}: give one of them`);
  }
  return inPath ?? id ?? itemId;
}

/** Refuses an id in a body that differs from the id in the path. */
export function refuseOther(
  key: string,
  inBody: number | undefined,
  inPath: number | undefined,
  problems: ProblemDetail[],
): void {
  if (inPath === undefined || inBody === undefined || inBody === inPath) return;
  refuseKey(problems, key, `is ${inBody} in the body and ${inPath} in the path`);
}
