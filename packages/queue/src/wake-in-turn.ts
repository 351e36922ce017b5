import type { Producer } from './producer.ts';
import { createTurns, type Turns } from './turns.ts';

/** Wakes match for pending events; `tenantIds` says whose they are, in the same order. */
export type WakeInTurn = (eventIds: readonly string[], tenantIds: readonly number[]) => void;

/**
 * Wakes match so that tenants who send much do not hold up the others. Tenants with the same turn share a call, and nearly
 * all have the same: what is woken together is one job, or a few.
 */
export function createWakeInTurn(producer: Pick<Producer, 'wake'>, turns: Turns = createTurns()): WakeInTurn {
  return (eventIds, tenantIds) => {
    const byTenant = new Map<number, string[]>();
    for (const [index, eventId] of eventIds.entries()) append(byTenant, tenantIds[index] ?? 0, [eventId]);
    const byTurn = new Map<number, string[]>();
    for (const [tenantId, own] of byTenant) append(byTurn, turns.of(tenantId, own.length), own);
    for (const [turn, named] of byTurn) producer.wake('match', { eventIds: named }, turn);
  };
}

function append(lists: Map<number, string[]>, key: number, ids: string[]): void {
  const list = lists.get(key);
  if (list) list.push(...ids);
  else lists.set(key, ids);
}
