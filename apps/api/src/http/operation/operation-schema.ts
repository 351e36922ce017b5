import type { z } from 'zod';
import type { Names } from './names.ts';
import type { Tag } from './tags.ts';

/** What a success is answered with. */
export interface AnswerSchema {
  readonly description: string;
  readonly schema: z.ZodType;
  /** JSON unless it says otherwise. */
  readonly mediaType?: 'text/event-stream' | 'application/x-ndjson';
}

/** What a route takes. */
export interface BodySchema {
  readonly schema: z.ZodType;
  /** Keys that this route needs beside those that the schema requires. */
  readonly required?: readonly string[];
  /** A body that the API takes. */
  readonly example?: unknown;
  readonly isOptional?: true;
}

/**
 * What a route takes and answers, declared once, beside its handler. The OpenAPI document is made from it, and a test
 * compares it with what every route really answers. Roles, size of the body, placeholders and failures that any route
 * can have are told by the endpoint itself.
 */
export interface OperationSchema {
  /** What a method of a client is called, such as `createCompanyWebhook`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /** Parameters of the query string. */
  readonly query?: z.ZodObject;
  readonly body?: BodySchema;
  /** Whether its answer may carry warnings, and so be asked to refuse instead. */
  readonly isWarned?: true;
  /** Whether the body names what must be there, so that it can be answered 404 whatever the path is. */
  readonly namesRecord?: true;
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerSchema>>;
  /** When it is answered 409. */
  readonly conflict?: string;
}

/** An operation that several collections have: `{One}`, `{Many}`, `{one}` and `{many}` stand for their names. */
export type OperationTemplate = Omit<OperationSchema, 'tag'>;

/** The operation of one collection. */
export function operationOf(template: OperationTemplate, names: Names, tag: Tag): OperationSchema {
  const { id, summary } = template;
  return {
    ...template,
    tag,
    id: id.replace('{One}', names.one).replace('{Many}', names.many),
    summary: summary.replace('{one}', names.oneInWords).replace('{many}', names.manyInWords),
  };
}
