import { createPriorities, type Priorities } from './priorities.ts';
import type { Producer } from '../producer.ts';

/** Enqueues pending events for match; `tenantIds` are their tenants, in the same order. */
export type EnqueueFairly = (eventIds: readonly string[], tenantIds: readonly number[]) => void;

/** Enqueues events so that tenants that send much do not delay the others. */
export function createFairEnqueue(
  producer: Pick<Producer, 'enqueueEvents'>,
  priorities: Priorities = createPriorities(),
): EnqueueFairly {
  return (eventIds, tenantIds) => {
    const counts = new Map<number, number>();
    for (const tenantId of tenantIds) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
    const byTenant = new Map<number, number>();
    for (const [tenantId, events] of counts) byTenant.set(tenantId, priorities.of(tenantId, events));
    producer.enqueueEvents(
      eventIds,
      tenantIds.map((tenantId) => byTenant.get(tenantId) ?? 0),
    );
  };
}
