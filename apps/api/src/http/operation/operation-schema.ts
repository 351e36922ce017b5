import type { z } from 'zod';
import type { Names } from './names.ts';
import type { Tag } from './tags.ts';

/** The response of a success. */
export interface ResponseSchema {
  readonly description: string;
  readonly schema: z.ZodType;
  /** JSON by default. */
  readonly mediaType?: 'text/event-stream' | 'application/x-ndjson';
}

/** The parameters and the body of a route. */
export interface BodySchema {
  readonly schema: z.ZodType;
  /** Keys that the route requires besides the keys of the schema. */
  readonly required?: readonly string[];
  /** A valid body. */
  readonly example?: unknown;
  readonly isOptional?: true;
}

/**
 * The requests and responses of a route, declared once, beside the handler. The OpenAPI document is made from the
 * schema, and a test compares the schema with the real responses of every route. Roles, size of the body, placeholders
 * and failures common to all routes are declared by the endpoint.
 */
export interface OperationSchema {
  /** The name of a client's method, like `createCompanyWebhook`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /** Parameters of the query string. */
  readonly query?: z.ZodObject;
  readonly body?: BodySchema;
  /** Whether the response may have warnings, which callers can turn into refusals. */
  readonly isWarned?: true;
  /** Whether the body names a record that must exist: 404 is possible then for any path. */
  readonly namesRecord?: true;
  /** What the operation does with something whose versions have ETags; `DELETE` leaves no version. */
  readonly version?: 'created' | 'read' | 'changed' | 'deleted';
  /** By status. */
  readonly responses: Readonly<Record<number, ResponseSchema>>;
  /** The condition of a 409. */
  readonly conflict?: string;
}

/** An operation of several collections: `{One}`, `{Many}`, `{one}` and `{many}` are replaced by their names. */
export type OperationTemplate = Omit<OperationSchema, 'tag'>;

/** The operation of a collection. */
export function operationOf(template: OperationTemplate, names: Names, tag: Tag): OperationSchema {
  const { id, summary } = template;
  return {
    ...template,
    tag,
    id: id.replace('{One}', names.one).replace('{Many}', names.many),
    summary: summary.replace('{one}', names.oneInWords).replace('{many}', names.manyInWords),
  };
}
