export type { Zones } from './move-context.ts';
export { abortMove, moveTenant } from './move-tenant.ts';
export { type MovePlan, planMove } from './prepare.ts';
