import { Prisma } from '../generated/client.ts';

/** The kinds of children that a webhook has. */
export type ChildKind = 'fields' | 'udfFields' | 'excludedResources';

/** What tells the table of one kind of children from the others. */
export interface ChildTable {
  readonly name: Prisma.Sql;
  /** The column of what the child is about. */
  readonly target: Prisma.Sql;
  /** What that is called in bodies. */
  readonly idKey: string;
  /** Where it comes from: what is in the database can be deleted meanwhile. */
  readonly references: 'catalogue' | 'udfDefinitions' | 'resources';
  /** The rest of a list of columns. */
  readonly flagColumns: Prisma.Sql;
  readonly selectFlags: Prisma.Sql;
}

const flags = {
  flagColumns: Prisma.sql`, is_subscribed_field, is_display_always_field`,
  selectFlags: Prisma.sql`c.is_subscribed_field AS "isSubscribed", c.is_display_always_field AS "isDisplayAlways"`,
};

const noFlags = {
  flagColumns: Prisma.empty,
  selectFlags: Prisma.sql`NULL AS "isSubscribed", NULL AS "isDisplayAlways"`,
};

export const childTables: Readonly<Record<ChildKind, ChildTable>> = {
  fields: {
    name: Prisma.sql`webhook_fields`,
    target: Prisma.sql`field_id`,
    idKey: 'fieldID',
    references: 'catalogue',
    ...flags,
  },
  udfFields: {
    name: Prisma.sql`webhook_udf_fields`,
    target: Prisma.sql`udf_field_id`,
    idKey: 'udfFieldID',
    references: 'udfDefinitions',
    ...flags,
  },
  excludedResources: {
    name: Prisma.sql`webhook_excluded_resources`,
    target: Prisma.sql`resource_id`,
    idKey: 'resourceID',
    references: 'resources',
    ...noFlags,
  },
};
