import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { foldText } from '@callout/domain/query/fold-text';
import type { UdfDefinition } from '@callout/tenancy/udf-definitions';
import type { ApiContext } from '../../api-context.ts';

/** The user-defined fields of an entity. */
export interface UserDefinedFields {
  /** In order of id. */
  readonly all: readonly UdfDefinition[];
  /** Ignores case; where a name equals another one's label, the name wins. */
  find(nameOrLabel: string): UdfDefinition | undefined;
}

/** The user-defined fields of an entity, at the time of the loading. */
export type UserDefinedFieldsOf = (entity: EntityDefinition) => UserDefinedFields;

/** For requests without user-defined fields, which need no lookup. */
export const noUserDefinedFields: UserDefinedFieldsOf = () => none;

const none: UserDefinedFields = { all: [], find: () => undefined };

/** Reads the definitions of a tenant once for a request. */
export async function loadUserDefinedFields(api: ApiContext, tenantId: number): Promise<UserDefinedFieldsOf> {
  const byEntity = new Map<string, UdfDefinition[]>();
  for (const definition of (await api.udfDefinitionsOf(tenantId)) ?? []) {
    const same = byEntity.get(definition.entityType);
    if (same === undefined) byEntity.set(definition.entityType, [definition]);
    else same.push(definition);
  }
  return (entity) => {
    const all = byEntity.get(entity.entityType);
    return all === undefined ? none : { all, find: finder(all) };
  };
}

/** The user-defined fields of an entity of a tenant; nothing is loaded for an entity without user-defined fields. */
export async function userDefinedFieldsOf(
  api: ApiContext,
  entity: EntityDefinition,
  tenantId: number,
): Promise<UserDefinedFields> {
  return entity.hasUserDefinedFields ? (await loadUserDefinedFields(api, tenantId))(entity) : none;
}

function finder(all: readonly UdfDefinition[]): UserDefinedFields['find'] {
  const byFolded = new Map<string, UdfDefinition>();
  for (const one of all) byFolded.set(foldText(one.label), one);
  for (const one of all) byFolded.set(foldText(one.name), one);
  return (nameOrLabel) => byFolded.get(foldText(nameOrLabel));
}
