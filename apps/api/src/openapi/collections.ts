import type { Catalogue, EntityDefinition, RecordParent } from '@callout/core/catalogue';
import { childKinds, type ChildKind } from '../webhooks/children/child-kinds.ts';
import { childCollections } from '../webhooks/collections.ts';

/** Collections of one kind have the same paths below their own, with the same meaning. */
export type CollectionKind =
  'records' | 'childRecords' | 'webhooks' | 'children' | 'twins' | 'resources' | 'definitions' | 'errorLogs';

/** One collection of the API, and what its parts are called in the document. */
export interface DocumentedCollection {
  readonly kind: CollectionKind;
  /** As it is registered, such as `/CompanyWebhooks/:parentId/Fields`. */
  readonly path: string;
  /** Its name, such as `CompanyWebhookFields`. */
  readonly name: string;
  /** The schema of what reads show. */
  readonly schema: string;
  /** The schemas of bodies, by what they are for. */
  readonly bodies: Readonly<Record<BodyUse, string>>;
  readonly entity?: EntityDefinition;
  readonly child?: ChildKind;
  /** The record that those of the collection belong to. */
  readonly parent?: RecordParent;
}

export type BodyUse = 'create' | 'update' | 'replace';

/** Every collection that an installation with this catalogue has. */
export function documentedCollections(catalogue: Catalogue): DocumentedCollection[] {
  const resources = catalogue.byCollection('Resources');
  return [
    ...catalogue.entities.filter((entity) => entity.supportsWebhookCallouts).flatMap(collectionsOf),
    ...(resources === undefined ? [] : [{ ...plain('resources', 'Resources', 'Resource'), entity: resources }]),
    plain('definitions', 'UserDefinedFieldDefinitions', 'UserDefinedFieldDefinition'),
    plain('errorLogs', 'WebhookEventErrorLogs', 'WebhookEventErrorLog'),
  ];
}

function collectionsOf(entity: EntityDefinition): DocumentedCollection[] {
  const { collection, singular, webhookCollection, webhookSingular } = entity;
  const webhooks = plain('webhooks', webhookCollection, 'Webhook');
  const records = { ...plain('records', collection, singular), entity };
  return [
    records,
    ...entity.parents.map((parent): DocumentedCollection => {
      const path = `/${parent.entity.collection}/:parentId/${parent.segment}`;
      return { ...records, kind: 'childRecords', path, parent };
    }),
    { ...webhooks, bodies: { ...webhooks.bodies, create: `${webhookSingular}Create` }, entity },
    ...childKinds
      .filter((child) => child.isOf(entity))
      .flatMap((child): DocumentedCollection[] => {
        const name = childCollections(entity)[child.kind];
        const twin = { ...plain('twins', name, name.replace(/s$/, '')), entity, child };
        return [{ ...twin, kind: 'children', path: `/${webhookCollection}/:parentId/${child.segment}` }, twin];
      }),
  ];
}

function plain(kind: CollectionKind, name: string, schema: string): DocumentedCollection {
  const bodies = { create: `${schema}Create`, update: `${schema}Update`, replace: `${schema}Replace` };
  return { kind, path: `/${name}`, name, schema, bodies };
}

/** The collection that a registered path belongs to, and the rest of the path: the longest fit wins. */
export function collectionOf(
  path: string,
  collections: readonly DocumentedCollection[],
): { readonly collection: DocumentedCollection; readonly rest: string } | undefined {
  const fits = collections.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
  const [collection] = fits.sort((a, b) => b.path.length - a.path.length);
  return collection && { collection, rest: path.slice(collection.path.length) };
}

/** `CompanyWebhookFields` as words: `company webhook fields`. */
export function words(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
