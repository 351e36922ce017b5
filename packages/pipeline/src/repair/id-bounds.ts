import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { lowestId } from '@callout/database/schema/id-time';

const lowest = '00000000-0000-0000-0000-000000000000';
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Ids of the callouts made in the range's time: from the first one on, and below the second. */
export function idBounds({ since, until }: Pick<CalloutRange, 'since' | 'until'>): [string, string] {
  return [since === null ? lowest : lowestId(since), until === null ? highest : lowestId(until)];
}
