import { Problem } from '@callout/domain/problem/problem';

/** In seconds; a move takes longer only under much load. */
const RETRY_AFTER_S = 5;

/** 503 with `Retry-After`: the tenant is on its way to another zone. */
export function tenantIsMoving(): Problem {
  return Problem.unavailable('The tenant is being moved to another zone: send this again.', RETRY_AFTER_S);
}

/** Throws a 503 Problem when something would be changed of a tenant that is being moved; it may be read. */
export function refuseWhileMoving({ isMoving }: { readonly isMoving?: true }, isReading: boolean): void {
  if (isMoving === true && !isReading) throw tenantIsMoving();
}
