import type { FieldMetadata } from '@callout/domain/metadata/field-metadata';
import { ok, type ApiResponse } from '../../http/api-response.ts';
import type { Caller, Role } from '../../http/auth/caller.ts';
import type { DescribedCollection } from '../../http/operation/collection-operations.ts';
import type { Call, Endpoint } from '../../http/route/endpoint.ts';
import type { PortalAccess } from '../../http/auth/portal-guard.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { metadataOperation, type MetadataPath, type UserAccess } from './metadata-operations.ts';

/** The rights for one operation; null: the collection has no such operation. */
type Access = ((caller: Caller) => UserAccess) | null;

type Fields = readonly FieldMetadata[] | Promise<readonly FieldMetadata[]>;

/** The metadata of a collection. */
export interface Metadata {
  /** The name of a record. */
  readonly name: string;
  readonly access: {
    readonly create: Access;
    readonly query: Access;
    readonly update: Access;
    readonly delete: Access;
  };
  readonly hasUserDefinedFields?: boolean;
  readonly supportsWebhookCallouts?: boolean;
  readonly fields: (caller: Caller) => Fields;
  /** Where the path is below a webhook; otherwise the endpoint responds alike within any tenant. */
  readonly portal?: PortalAccess;
  readonly userDefinedFields?: (caller: Caller) => Fields;
  /** Throws a 404 Problem for a missing subject of the path. */
  readonly checkPath?: (call: Call) => Promise<void>;
}

/** The access of callers with a role among `roles`. */
export function by(roles: readonly Role[], access: UserAccess = 'All'): (caller: Caller) => UserAccess {
  return ({ role }) => (roles.includes(role) ? access : 'None');
}

/**
 * The metadata of a collection: `…/entityInformation`, `…/entityInformation/fields` and
 * `…/entityInformation/userDefinedFields`, each by GET and POST. Must come before paths with an id in place of
 * `entityInformation`.
 */
export function addMetadataRoutes(
  add: AddRoute,
  path: string,
  { metadata, described }: { readonly metadata: Metadata; readonly described: DescribedCollection },
): void {
  const { fields, userDefinedFields = () => [], portal = 'open' } = metadata;
  const addMethods = (rest: MetadataPath, respond: (caller: Caller) => ApiResponse | Promise<ApiResponse>) => {
    const endpoint = (method: 'GET' | 'POST'): Endpoint => ({
      roles: rights.metadata.read,
      portal,
      schema: metadataOperation(rest, method, described),
      async handle(call) {
        await metadata.checkPath?.(call);
        return respond(call.caller);
      },
    });
    add(`${path}/entityInformation${rest}`, { GET: endpoint('GET'), POST: endpoint('POST') });
  };
  addMethods('', (caller) => ok({ info: infoOf(metadata, caller) }));
  addMethods('/fields', async (caller) => ok({ fields: await fields(caller) }));
  addMethods('/userDefinedFields', async (caller) => ok({ fields: await userDefinedFields(caller) }));
}

function infoOf(metadata: Metadata, caller: Caller) {
  const { access } = metadata;
  return {
    name: metadata.name,
    canCreate: access.create !== null,
    canDelete: access.delete !== null,
    canQuery: access.query !== null,
    canUpdate: access.update !== null,
    userAccessForCreate: access.create?.(caller) ?? 'None',
    userAccessForDelete: access.delete?.(caller) ?? 'None',
    userAccessForQuery: access.query?.(caller) ?? 'None',
    userAccessForUpdate: access.update?.(caller) ?? 'None',
    hasUserDefinedFields: metadata.hasUserDefinedFields ?? false,
    supportsWebhookCallouts: metadata.supportsWebhookCallouts ?? false,
  };
}
