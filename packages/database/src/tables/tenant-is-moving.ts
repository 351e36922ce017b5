import { Problem } from '@callout/domain/problem/problem';

/** Seconds after which a change of a tenant that is being moved may be tried again. */
const RETRY_AFTER_S = 5;

/** The problem of changing a tenant that is being moved. */
export function tenantIsMoving(): Problem {
  return Problem.unavailable('The tenant is being moved to another zone: send this again', RETRY_AFTER_S);
}
