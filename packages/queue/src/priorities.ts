/** Gives new events their priority in the queue: lower ones are matched first, equal ones in order of acceptance. */
export interface Priorities {
  /** The priority of events that a tenant has just sent. */
  of(tenantId: number, events: number): number;
}

/** After this time, an event counts half. */
const halfLifeMs = 5_000;
/** A tenant that has recently sent fewer events waits behind no other tenant. */
const fewEvents = 100;
/**
 * A tenant is delayed by a minute for this many events, by another minute for four times as many, and so on up to a
 * maximum.
 */
const mostMinutes = 6;
/**
 * The priorities of BullMQ end here, so after four years minutes begin anew. Jobs that wait at the turn are overtaken
 * until the sweep enqueues their events again.
 */
const priorities = 2 ** 21 - 1;
const minuteMs = 60_000;
/** Events that are enqueued again have waited already: before busy tenants, behind quiet tenants. */
const minutesOfRepeats = 3;

/**
 * Priorities by which busy tenants come after quiet tenants. A priority is a minute: the present minute for a tenant
 * that has recently sent little, a later minute the more the tenant has sent. So an event is overtaken for some minutes
 * at most, however much others send.
 *
 * Events that a tenant has sent to other processes do not count here: a priority decides when, never whether.
 * @param now milliseconds since 1970. Processes whose clocks differ by seconds agree well enough.
 */
export function createPriorities(now: () => number = Date.now): Priorities {
  const recent = new Map<number, number>();
  let halvedAt = now();

  function halve(): void {
    const halvings = Math.floor((now() - halvedAt) / halfLifeMs);
    if (halvings === 0) return;
    halvedAt = now();
    // Below zero: the clock was set back.
    const share = 0.5 ** Math.max(1, halvings);
    for (const [tenantId, events] of recent) {
      if (events * share < 1) recent.delete(tenantId);
      else recent.set(tenantId, events * share);
    }
  }

  return {
    of(tenantId, events) {
      halve();
      const sent = (recent.get(tenantId) ?? 0) + events;
      recent.set(tenantId, sent);
      return priorityAt(now(), sent < fewEvents ? 0 : 1 + Math.floor(Math.log2(sent / fewEvents) / 2));
    },
  };
}

/** The priority of events that are enqueued again, of any tenant. */
export function priorityOfRepeats(now: number): number {
  return priorityAt(now, minutesOfRepeats);
}

/** The time that a priority stands for. */
export function timeOf(priority: number, now: number): Date {
  const minute = Math.floor(now / minuteMs);
  return new Date((minute + minutesBetween(priorityAt(now, 0), priority)) * minuteMs);
}

/**
 * The part of the queue that jobs of a priority may fill. The later the priority, the smaller the part: a busy tenant
 * takes no room from quiet tenants.
 */
export function shareOf(priority: number, now: number): number {
  const minutesBack = minutesBetween(priorityAt(now, 0), priority);
  return 1 - Math.min(Math.max(0, minutesBack), mostMinutes) / (mostMinutes + 2);
}

function priorityAt(now: number, minutesBack: number): number {
  return 1 + ((Math.floor(now / minuteMs) + Math.min(minutesBack, mostMinutes)) % priorities);
}

/** The nearer way around: priorities begin anew. */
function minutesBetween(one: number, other: number): number {
  const minutes = other - one;
  return minutes - priorities * Math.round(minutes / priorities);
}

/** Enqueues pending events for match; `tenantIds` are their tenants, in the same order. */
export type EnqueueFairly = (eventIds: readonly string[], tenantIds: readonly number[]) => void;

/** Enqueues events so that busy tenants do not delay the rest. */
export function createFairEnqueue(
  producer: { enqueueEvents(eventIds: readonly string[], priorities: readonly number[]): void },
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
