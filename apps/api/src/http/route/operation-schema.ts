import type { z } from 'zod';

/** What a success is answered with. */
export interface AnswerSchema {
  readonly description: string;
  readonly schema: z.ZodType;
}

/**
 * What a route takes and answers, declared once, beside its handler. The OpenAPI document is made from it, and a test
 * compares it with what every route really answers. Roles, size of the body, placeholders and failures that any route
 * can have are told by the endpoint itself.
 */
export interface OperationSchema {
  /** What a method of a client is called; `{One}` stands for what the collection holds, such as `CompanyWebhook`. */
  readonly id: string;
  /** Of below a webhook: `{one}` stands for what the collection holds, such as `a company webhook`. */
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the query string. */
  readonly query?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodType;
    /** A body that the API takes. */
    readonly example?: unknown;
    /** Whether its answer may carry warnings, and so be asked to refuse instead. */
    readonly isWarned?: true;
    readonly isOptional?: true;
  };
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerSchema>>;
  /** When it is answered 409. */
  readonly conflict?: string;
}
