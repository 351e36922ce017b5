/** The callouts of a tenant and an entity share a threshold. */
export interface ThresholdGroup {
  tenantId: number;
  entityType: string;
}

/** A leased callout whose attempt would be its first. */
export interface Contender extends ThresholdGroup {
  /** Ids rise with time. */
  id: string;
  webhookKey: number;
  leaseOwner: string;
  /** Maximum number of first attempts of its group in any 3,600 s. */
  limit: number;
  /**
   * Of a new callout of a webhook that merges: the version that made the callout, and the carried changes, since further
   * changes may be merged while the callout is held. Absent: stored already, or nothing is merged into the callout.
   */
  mergeable?: { readonly version: number; readonly carried: object } | undefined;
}

/** How many first attempts a group was granted, and when they were counted, by the database's clock. */
export interface Grant extends ThresholdGroup {
  granted: number;
  countedAt: Date;
}

export interface SharedGrants {
  /** Callouts that may not be sent now: the newest of their group. */
  held: Contender[];
  /** When each of the other callouts was counted, by their ids. */
  countedAt: Map<string, Date>;
}

/** First attempts for which a group wants grants. */
export interface WantedAttempts extends ThresholdGroup {
  requested: number;
  limit: number;
}

/** The wanted first attempts of each group. */
export function attemptsOf(contenders: readonly Contender[]): WantedAttempts[] {
  return [...groupContenders(contenders).values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, requested: members.length, limit };
  });
}

/** Distributes the grants of each group to its callouts, the oldest first. */
export function shareGrants(contenders: readonly Contender[], grants: readonly Grant[]): SharedGrants {
  const groups = groupContenders(contenders);
  const shared: SharedGrants = { held: [], countedAt: new Map() };
  for (const { granted, countedAt, ...group } of grants) {
    const members = groups.get(nameOf(group)) ?? [];
    const inOrder = members.length === granted ? members : members.toSorted(olderFirst);
    for (const { id } of inOrder.slice(0, granted)) shared.countedAt.set(id, countedAt);
    shared.held.push(...inOrder.slice(granted));
  }
  return shared;
}

/** Callouts by tenant and entity, in the given order. */
export function groupContenders(contenders: readonly Contender[]): Map<string, [Contender, ...Contender[]]> {
  const groups = new Map<string, [Contender, ...Contender[]]>();
  for (const contender of contenders) {
    const members = groups.get(nameOf(contender));
    if (members) members.push(contender);
    else groups.set(nameOf(contender), [contender]);
  }
  return groups;
}

function nameOf({ tenantId, entityType }: ThresholdGroup): string {
  return `${tenantId}/${entityType}`;
}

function olderFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
