import type { BodyUse } from './collections.ts';
import type { QueryParameter } from './query-parameters.ts';

/** What the document says of an operation beyond what the route itself tells. */
export interface Description {
  /** `{one}` and `{many}` stand for what the collection holds. */
  readonly summary: string;
  readonly description?: string;
  readonly request?: BodyUse | 'query' | 'nextPage';
  readonly response: ResponseKind;
  /** When it is answered 409. */
  readonly conflict?: string;
  /** Names of parameters in the query string. */
  readonly query?: readonly QueryParameter[];
}

export type ResponseKind = 'item' | 'items' | 'itemId' | 'count' | 'info' | 'fields' | 'udfs';

/** By rest of the path, then by method. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, Description>>>>;
