import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { Problem } from '@callout/domain/problem';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { catalogueConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../context.ts';

/** How the option of a webhook is described in the help. */
export const webhookHelp = 'its collection and id, such as CompanyWebhooks/3, or its GUID';

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const numbered = /^\/?([a-z]+)\/(\d{1,9})$/i;

/** The entities of the installation. */
export async function readCatalogue({ env }: CommandContext): Promise<Catalogue> {
  return parseCatalogue(
    await readCatalogueFiles(parseConfig(catalogueConfig, env).CATALOGUE_DIR ?? ownCatalogueDir, ownCatalogueDir),
  );
}

/** A webhook as a command line names it. */
export type WebhookName = { readonly guid: string } | { readonly entityType: string; readonly id: number };

/** Which webhook a command line names. Throws a Problem 400 for text that cannot be a webhook. */
export function parseWebhookName(catalogue: Catalogue, text: string): WebhookName {
  if (guid.test(text)) return { guid: text.toLowerCase() };
  const [, collection = '', id = ''] = numbered.exec(text) ?? [];
  const entity = catalogue.entities.find((one) =>
    [one.webhookCollection, one.entityType, one.singular].some(
      (name) => name.toLowerCase() === collection.toLowerCase(),
    ),
  );
  if (entity !== undefined && entity.webhookCollection !== '') return { entityType: entity.entityType, id: Number(id) };
  const collections = catalogue.entities.map((one) => one.webhookCollection).filter((name) => name !== '');
  throw Problem.invalid(
    `${text} names no webhook: give its GUID, or its collection and id, such as ${collections[0] ?? ''}/3 (${collections.join(', ')})`,
  );
}

/** An entity that webhooks can watch. */
export type WatchedEntity = EntityDefinition;

/** The entities that webhooks can watch. */
export function watchedEntities({ entities }: Catalogue): readonly WatchedEntity[] {
  return entities.filter((entity) => entity.supportsWebhookCallouts);
}

/**
 * The entity on a command line, by any of its names, such as Company, Companies, Account or CompanyWebhooks. Throws a
 * Problem 400.
 */
export function entityNamed(catalogue: Catalogue, text: string): WatchedEntity {
  const folded = text.toLowerCase();
  const namesOf = (entity: WatchedEntity) => [
    entity.singular,
    entity.collection,
    entity.entityType,
    entity.webhookCollection,
    entity.webhookSingular,
  ];
  const match = watchedEntities(catalogue).find((entity) =>
    namesOf(entity).some((name) => name.toLowerCase() === folded),
  );
  if (match !== undefined) return match;
  const names = watchedEntities(catalogue).map(({ singular }) => singular);
  throw Problem.invalid(`${text} is not an entity that webhooks watch. Choose one of ${names.join(', ')}.`);
}

/** The name that people know an entity by: Company, which the wire calls Account. */
export function nameOfEntity(catalogue: Catalogue, entityType: string): string {
  return catalogue.byEntityType(entityType)?.singular ?? entityType;
}

/** How a webhook is called in the responses of these commands: `CompanyWebhooks/3`. */
export function nameOfWebhook(catalogue: Catalogue, { entityType, id }: { entityType: string; id: number }) {
  return `${catalogue.byEntityType(entityType)?.webhookCollection ?? entityType}/${id}`;
}
