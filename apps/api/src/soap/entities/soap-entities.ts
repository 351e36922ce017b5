import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { errorLogFields } from '@callout/domain/metadata/error-log-fields';
import { recordFields } from '@callout/domain/metadata/record-fields';
import { udfDefinitionFieldsOf } from '@callout/domain/metadata/udf-definition-fields';
import { webhookFields } from '@callout/webhooks/input/webhook-fields';
import { documented } from '../../http/auth/rights.ts';
import { childKinds, childCollections } from '../../rest/webhooks/children/child-kinds.ts';
import { defineSoapEntity, type SoapEntity } from './soap-entity.ts';

/** The entities of the SOAP API. */
export interface SoapEntities {
  readonly all: readonly SoapEntity[];
  /** By name, in any case. */
  readonly byName: (name: string) => SoapEntity | undefined;
  /** The name in SOAP of an entity that REST metadata refers to. */
  readonly nameOfReference: (restSingular: string) => string;
  /** By a path of REST as documents write it: of the collection or of a record. */
  readonly nameOfPath: (restPath: string) => string | undefined;
}

/**
 * Webhooks and children, which can be written, and watched entities, which can be read. Entities of Callout are in the
 * REST API alone: SOAP is for programs that were made for another service.
 */
export function createSoapEntities(catalogue: Catalogue): SoapEntities {
  const isOfSoap = ({ isReadOnly }: EntityDefinition) => !isReadOnly;
  const watched = catalogue.watched.filter(isOfSoap);
  const all = [
    ...catalogue.entities.filter(isOfSoap).map(recordEntity),
    ...watched.flatMap((entity) => [webhookEntity(entity), ...childEntities(entity)]),
    errorLogEntity(),
    definitionEntity(catalogue),
  ];
  const byName = new Map(all.map((one) => [one.name.toLowerCase(), one]));
  const byRestSingular = new Map(all.map((one) => [one.restSingular, one.name]));
  const byPath = new Map(
    all.flatMap(({ name, path, writePath }) => [path, `${path}/:id`, writePath].map((one) => [documented(one), name])),
  );
  return {
    all,
    byName: (name) => byName.get(name.toLowerCase()),
    nameOfReference: (restSingular) => byRestSingular.get(restSingular) ?? restSingular,
    nameOfPath: (restPath) => byPath.get(restPath),
  };
}

function recordEntity(entity: EntityDefinition): SoapEntity {
  const path = `/${entity.collection}`;
  return defineSoapEntity({
    name: entity.entityType,
    restSingular: entity.singular,
    path,
    writePath: `${path}/:id`,
    isWritable: false,
    hasUserDefinedFields: entity.hasUserDefinedFields,
    table: recordFields(entity),
  });
}

function webhookEntity(entity: EntityDefinition): SoapEntity {
  const path = `/${entity.webhookCollection}`;
  return defineSoapEntity({
    name: `${entity.entityType}Webhook`,
    restSingular: entity.webhookSingular,
    path,
    writePath: `${path}/:id`,
    isWritable: true,
    hasUserDefinedFields: false,
    table: webhookFields,
  });
}

function childEntities(entity: EntityDefinition): SoapEntity[] {
  const collections = childCollections(entity);
  return childKinds
    .filter((kind) => kind.isOf(entity))
    .map((kind) => {
      const collection = collections[kind.kind];
      return defineSoapEntity({
        name: `${entity.entityType}Webhook${kind.segment.replace(/s$/u, '')}`,
        restSingular: collection.replace(/s$/u, ''),
        path: `/${collection}`,
        writePath: `/${entity.webhookCollection}/:parentId/${kind.segment}/:id`,
        isWritable: true,
        hasUserDefinedFields: false,
        table: kind.fields(entity, 'rootTwin', []),
      });
    });
}

function errorLogEntity(): SoapEntity {
  return defineSoapEntity({
    name: 'WebhookEventErrorLog',
    restSingular: 'WebhookEventErrorLog',
    path: '/WebhookEventErrorLogs',
    writePath: '/WebhookEventErrorLogs/:id',
    isWritable: true,
    hasUserDefinedFields: false,
    table: errorLogFields,
  });
}

function definitionEntity(catalogue: Catalogue): SoapEntity {
  return defineSoapEntity({
    name: 'UserDefinedFieldDefinition',
    restSingular: 'UserDefinedFieldDefinition',
    path: '/UserDefinedFieldDefinitions',
    writePath: '/UserDefinedFieldDefinitions/:id',
    isWritable: false,
    hasUserDefinedFields: false,
    table: udfDefinitionFieldsOf(catalogue),
  });
}
