import { Problem } from '@callout/core/errors';

/** Seconds after which a change of a tenant that is being moved is worth trying again. */
const RETRY_AFTER_S = 5;

/** Why a tenant cannot be changed for a moment. */
export function tenantIsMoving(): Problem {
  return Problem.unavailable('The tenant is being moved to another zone: send this again', RETRY_AFTER_S);
}
