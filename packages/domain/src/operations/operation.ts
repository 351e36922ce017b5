/** A value of an operation, with the sentence that every surface shows. */
export interface Parameter {
  /**
   * How the value is documented and entered: `tenant` and `zone` are ids that people give by name, `perHour` is a limit
   * (null: the limit of the installation, 0: no limit), `secret` is typed nowhere where text stays visible.
   */
  readonly kind:
    | 'text'
    | 'secret'
    | 'flag'
    | 'whole'
    | 'perHour'
    | 'moment'
    | 'guid'
    | 'choice'
    | 'id'
    | 'tenant'
    | 'zone'
    | 'resource'
    | 'credential';
  readonly description: string;
  readonly isOptional?: true;
  /** A text that may have no character. */
  readonly mayBeEmpty?: true;
  /** Of a whole number. */
  readonly least?: number;
  readonly most?: number;
  /** Of a choice: the words, each with a meaning. */
  readonly choices?: Readonly<Record<string, string>>;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/**
 * An operation of operators, described once: the source of the route of the operator API and its documentation, the
 * command of `callout admin` and the dialog of the console.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/operator/v1`, such as `/tenants/:tenantId`; the placeholders are `placeholders`. */
  readonly path: `/${string}`;
  /** The group and the word of the command, such as `zones create`. */
  readonly command: readonly [group: string, word: string] | readonly [word: string];
  /** The words after the command without options: placeholders and parameters, in order. */
  readonly names?: readonly string[];
  /** A short sentence without a full stop, in the imperative. */
  readonly summary: string;
  /** What else a caller should know. */
  readonly description?: string;
  readonly query?: Parameters;
  readonly body?: Parameters;
  /** The body may be left out. */
  readonly isBodyOptional?: true;
  /** A list: the columns, and the sentence for an empty list. `mark` is how a page names its beginning. */
  readonly list?: {
    readonly columns: readonly string[];
    readonly none: string;
    readonly mark?: 'moment' | 'guid' | 'all';
  };
  /**
   * The operation does a part, and is repeated with `after` as the `nextAfter` of the answer, until `nextAfter` is
   * null.
   */
  readonly isBatched?: true;
  /** What to confirm first; `name` is what people call the thing. */
  readonly confirmation?: (name: string) => string;
  /** The parameter that must be the name of the thing, typed once more, to confirm. */
  readonly typed?: string;
  /** What to say when it is done. */
  readonly done?: (answer: never, name: string) => string;
  /** 200 by default. */
  readonly status?: 202;
  /** The answer is 404 where nothing of the kind exists, or nothing that the query names. */
  readonly isFound?: true;
  /** It is 404 where the console is off. */
  readonly needsConsole?: true;
  /** The condition of a 409. */
  readonly conflict?: string;
}

/** The placeholders of paths. */
export const placeholders: Parameters = {
  tenantId: { kind: 'tenant', description: 'The tenant.' },
  zoneId: { kind: 'zone', description: 'The zone.' },
  resourceId: { kind: 'resource', description: 'The id of the resource in its tenant.' },
  credentialId: { kind: 'credential', description: 'The credential.' },
  mailId: { kind: 'guid', description: 'The id of the mail.' },
  calloutId: { kind: 'guid', description: 'The id of the callout: the webhook-id of its request.' },
};

/** The placeholders of a path, in order. */
export const placeholdersOf = ({ path }: Pick<Operation, 'path'>): string[] =>
  [...path.matchAll(/:(\w+)/gu)].map(([, name = '']) => name);

/** All parameters of an operation, by name: those of the path first. */
export function parametersOf(operation: Pick<Operation, 'path' | 'query' | 'body'>): Record<string, Parameter> {
  const named = placeholdersOf(operation).map((name) => [name, placeholders[name] as Parameter]);
  return { ...(Object.fromEntries(named) as Record<string, Parameter>), ...operation.query, ...operation.body };
}

/** A request with the values in its path, query and body; undefined values are left out. */
export function requestOf(operation: Operation, values: Readonly<Record<string, unknown>>) {
  const some = (parameters: Parameters | undefined) =>
    Object.fromEntries(
      Object.keys(parameters ?? {}).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
    );
  const body = some(operation.body);
  return {
    path: operation.path.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(String(values[name]))),
    query: some({ ...operation.query, ...(hasPages(operation) && pageParameters) }),
    body: operation.body === undefined ? undefined : body,
  };
}

/** Whether an answer is a part of what there is: a page of a list, or a batch. */
export const hasPages = ({ list, isBatched }: Pick<Operation, 'list' | 'isBatched'>): boolean =>
  isBatched === true || (list !== undefined && list.mark !== 'all');

/** The parameters of a part, beside the parameters of the operation. */
export const pageParameters: Parameters = {
  after: { kind: 'whole', isOptional: true, description: 'The nextAfter of the part before.' },
  limit: {
    kind: 'whole',
    isOptional: true,
    least: 1,
    most: 500,
    description: 'The most items of a page; 100 unless given.',
  },
};

/** The words of a parameter: `canCreateWebhooks` → `can create webhooks`, `zoneID` → `zone`, `isActive` → `active`. */
export function wordsOf(name: string): string {
  return name
    .replace(/^is(?=[A-Z])/u, '')
    .replace(/I[dD]$/u, '')
    .replace(/InSeconds$/u, 'In')
    .replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`)
    .toLowerCase();
}
