/** A tenant's callouts of one entity share a threshold. */
export interface ThresholdGroup {
  tenantId: number;
  entityType: string;
}

/** A leased callout whose attempt would be its first. */
export interface Contender extends ThresholdGroup {
  /** Ids are made in the order of time. */
  id: string;
  webhookKey: number;
  leaseOwner: string;
  /** First attempts of its group in any 3,600 s. */
  limit: number;
}

/** How many first attempts a group was granted, and when they were counted, by the database's clock. */
export interface Grant extends ThresholdGroup {
  granted: number;
  countedAt: Date;
}

export interface SharedGrants {
  /** Those that may not be sent now: the newest of their group. */
  held: Contender[];
  /** Of the others, by their ids, when they were counted. */
  countedAt: Map<string, Date>;
  /** Those of groups that nothing was counted for. */
  uncounted: Contender[];
}

/** Shares what each group was granted among its callouts: the oldest go first. */
export function shareGrants(contenders: readonly Contender[], grants: readonly Grant[]): SharedGrants {
  const groups = groupContenders(contenders);
  const held: Contender[] = [];
  const takenAt = new Map<string, Date>();
  for (const { granted, countedAt, ...group } of grants) {
    const members = groups.get(nameOf(group)) ?? [];
    groups.delete(nameOf(group));
    const inOrder = members.length === granted ? members : members.toSorted(olderFirst);
    for (const { id } of inOrder.slice(0, granted)) takenAt.set(id, countedAt);
    held.push(...inOrder.slice(granted));
  }
  return { held, countedAt: takenAt, uncounted: [...groups.values()].flat() };
}

/** Those of a tenant and entity together, in the order in which they come. */
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
