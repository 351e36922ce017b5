import { collectionOf, words, type CollectionKind, type DocumentedCollection } from './collections.ts';
import type { DocumentedTag, TagGroup } from './document-types.ts';

/**
 * Operations are grouped by what they are for, and the few that everybody needs come first. What only describes, and what
 * is the same operation under another path or method, has tags of its own at the end.
 */
const groups = {
  Subscribe: 'subscribe',
  'Report changes': 'report',
  'Follow deliveries': 'deliveries',
  Administer: 'administer',
  'Describe fields and rights': 'metadata',
  'Other forms of the same operations': 'otherForms',
} as const;

type Group = (typeof groups)[keyof typeof groups];

export interface Tag extends DocumentedTag {
  readonly group: Group;
  /** Not about one entity: at this place of its group, before those that are. */
  readonly place?: number;
}

const event: Tag = {
  name: 'Events',
  group: 'report',
  place: 1,
  description: 'For products that keep their records themselves: report what changed, many changes at a time.',
};
const eventLog: Tag = {
  name: 'Event log',
  group: 'deliveries',
  place: 2,
  description: 'Whether an event arrived, and what came of it for every webhook.',
};
const allCallouts: Tag = {
  name: 'Callouts of all webhooks',
  group: 'deliveries',
  place: 1,
  description:
    'What was sent and what is still owed, whichever webhook it is for, and the thresholds that hold callouts.',
};
const service: Tag = {
  name: 'Service',
  group: 'administer',
  description: 'The API itself: versions, address, limits.',
};

/** The tag of what receivers get; it has no operation of this API. */
export const receiverTag: DocumentedTag = {
  name: 'What your receiver gets',
  description: 'The signed requests that go to the webhookUrl and the deactivationUrl of a webhook.',
};

const ofDeliveries = /^\/:id\/(Callouts|redeliver|cancel|test|simulate|readiness|Changes)\b/;

/** The tag of one method of a registered path. */
export function tagOf(path: string, method: string, collections: readonly DocumentedCollection[]): Tag {
  const found = collectionOf(path, collections);
  if (found === undefined) return tagOfLone(path, method);
  const { collection, rest } = found;
  if (rest.includes('/entityInformation')) return metadataTag(collection);
  if (isOtherForm(collection.kind, rest, method)) return otherFormsTag(collection);
  return collection.kind === 'webhooks' && ofDeliveries.test(rest) ? deliveriesTag(collection) : mainTag(collection);
}

function tagOfLone(path: string, method: string): Tag {
  if (path === '/EntityEvents' && method === 'POST') return event;
  if (path.startsWith('/EntityEvents')) return eventLog;
  return path.startsWith('/Callout') ? allCallouts : service;
}

/** Whether another operation does the same: with the id or the query in the body, below the webhook, or without the parent. */
function isOtherForm(kind: CollectionKind, rest: string, method: string): boolean {
  if (kind === 'twins' || kind === 'childRecords' || rest === '/query/next') return true;
  if (rest === '/query' || rest === '/query/count') return method === 'GET';
  return rest === '/:id' && (method === 'PATCH' || method === 'PUT');
}

function mainTag(collection: DocumentedCollection): Tag {
  const { kind } = collection;
  const one = subjectOf(collection);
  const many = capital(words(collection.name));
  const tags: Readonly<Record<CollectionKind, Tag>> = {
    webhooks: {
      name: many,
      group: 'subscribe',
      description: `Who is told of changes of a ${one}, where, and of which.`,
    },
    children: {
      name: `${capital(one)} webhook fields`,
      group: 'subscribe',
      description: `The fields that trigger a callout of a ${one} webhook or go along with it, and the resources whose changes it leaves out.`,
    },
    twins: otherFormsTag(collection),
    childRecords: otherFormsTag(collection),
    records: {
      name: many,
      group: 'report',
      description: `For products that keep their records here: each write that changes a ${one} is an event.`,
    },
    resources: { name: many, group: 'administer', description: 'The people and API users of a tenant.' },
    definitions: { name: many, group: 'administer', description: 'The fields that a tenant adds to its records.' },
    errorLogs: {
      name: 'Error logs',
      group: 'deliveries',
      place: 3,
      description: 'A row for each callout that used up its attempts.',
    },
  };
  return tags[kind];
}

function deliveriesTag(collection: DocumentedCollection): Tag {
  const one = subjectOf(collection);
  return {
    name: `${capital(one)} webhook deliveries`,
    group: 'deliveries',
    description: `What ${one} webhooks were sent and why; sending it again, cancelling, testing.`,
  };
}

function metadataTag(collection: DocumentedCollection): Tag {
  const one = subjectOf(collection);
  return {
    name: `${capital(one)} metadata`,
    group: 'metadata',
    description: `The fields of the collections about a ${one}, and what the caller may do there.`,
  };
}

function otherFormsTag(collection: DocumentedCollection): Tag {
  const one = subjectOf(collection);
  return {
    name: `${capital(one)}: other forms`,
    group: 'otherForms',
    description: `Queries by GET, next pages, writes with the id in the path, and what is found under a parent: the same as the operations about a ${one} above.`,
  };
}

/** What a collection is about: the entity, such as `company`, else what it holds. */
function subjectOf({ entity, schema }: DocumentedCollection): string {
  return words(entity?.singular ?? schema);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The tags in the order of their groups, and the groups; only those that are used. */
export function tagsAndGroups(used: readonly Tag[]): { tags: DocumentedTag[]; groups: TagGroup[] } {
  const tags = [...new Map(used.map((tag) => [tag.name, tag])).values()];
  const grouped = Object.entries(groups).map(([name, group]) => ({
    name,
    tags: tags
      .filter((tag) => tag.group === group)
      .toSorted((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0),
  }));
  const receivers = { name: 'Receive', tags: [receiverTag] };
  const all = [...grouped.slice(0, 1), receivers, ...grouped.slice(1)].filter((one) => one.tags.length > 0);
  return {
    tags: all.flatMap((one) => one.tags.map(({ name, description }) => ({ name, description }))),
    groups: all.map((one) => ({ name: one.name, tags: one.tags.map(({ name }) => name) })),
  };
}
