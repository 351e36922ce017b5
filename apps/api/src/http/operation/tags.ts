import { capital } from './names.ts';

/**
 * What operations are for, in the order of the API's description: the few operations that every client needs come
 * first. Descriptions, and further paths or methods of an operation, come last.
 */
export const tagGroups = [
  'Subscribe',
  'Receive',
  'Report changes',
  'Follow deliveries',
  'Administer',
  'Describe fields and rights',
  'Other forms of the same operations',
] as const;

/** A group of operations. Each route names a tag. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly group: (typeof tagGroups)[number];
  /** Tags that concern several entities: the place in the group is before the tags of an entity. */
  readonly place?: number;
}

/** The tags of a collection. */
export interface CollectionTags {
  /** Operations that clients use with the collection. */
  readonly main: Tag;
  /** Operations that describe the collection. */
  readonly metadata: Tag;
  /** The operations under further paths or methods. */
  readonly otherForms: Tag;
}

/** The tags of a collection about `subject`, like `company`; without `main`, all operations are alternative forms. */
export function collectionTags(subject: string, main?: Tag): CollectionTags {
  const otherForms: Tag = {
    name: `${capital(subject)}: other forms`,
    group: 'Other forms of the same operations',
    description: `Queries by GET, next pages, writes with the id in the path, and what is found under a parent: the same as the operations about a ${subject} above.`,
  };
  const metadata: Tag = {
    name: `${capital(subject)} metadata`,
    group: 'Describe fields and rights',
    description: `The fields of the collections about a ${subject}, and what the caller may do there.`,
  };
  return { main: main ?? otherForms, metadata, otherForms };
}

/** Operations about the callouts of a tenant, whichever webhook they are for. */
export const allCalloutsTag: Tag = {
  name: 'Callouts of all webhooks',
  group: 'Follow deliveries',
  place: 1,
  description: 'What was sent and what is still to be sent, for all webhooks, and the thresholds that hold callouts.',
};
