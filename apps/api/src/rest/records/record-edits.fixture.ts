import * as fc from 'fast-check';

/** A value in the spelling of a body, and in wire form. */
export interface Spelled {
  readonly json: unknown;
  readonly wire: string | null;
}

/** Values by field name; those of user-defined fields by `udf:` and their name. */
export type Given = Readonly<Record<string, Spelled>>;

export type Action = 'Create' | 'Update' | 'Delete';

/** One event of a batch. */
export interface GivenEvent {
  readonly action: Action;
  readonly slot: number;
  readonly given: Given;
  /** Null: the service compares. */
  readonly changed: readonly string[] | null;
}

/** One request. Records are named by a slot; the test knows its id. */
export type Edit =
  | { readonly kind: 'create'; readonly slot: number | null; readonly given: Given }
  | { readonly kind: 'patch' | 'put'; readonly slot: number; readonly given: Given; readonly isIdInPath: boolean }
  | { readonly kind: 'delete'; readonly slot: number }
  | { readonly kind: 'events'; readonly events: readonly GivenEvent[] };

/** Slots that records are named by; the last one is the record that got its id from the service most recently. */
export const SLOTS = 4;
export const MADE_SLOT = SLOTS - 1;

const spelled = (wire: string, ...spellings: unknown[]): fc.Arbitrary<Spelled> =>
  fc.constantFrom(...spellings).map((json) => ({ json, wire }));
const nothing = fc.constant<Spelled>({ json: null, wire: null });

// Few values of each kind, so that an edit often changes nothing, and many ways to write each.
const integer = fc
  .integer({ min: -1, max: 1 })
  .chain((n) => spelled(String(n), n, String(n), `${n}.0`, ` ${n} `.trim(), `${n}e0`));
const long = fc.constantFrom('0', '9007199254740991').chain((n) => spelled(n, Number(n), n));
const double = fc
  .constantFrom(0, 0.25, 1500, -2.5)
  .chain((n) => spelled(String(n), n, String(n), n.toFixed(3), n.toExponential()));
const boolean = fc.boolean().chain((b) => spelled(String(b), b, String(b), b ? 'True' : 'FALSE'));
const text = fc.constantFrom('', 'Acme', 'ünï "\\\u2028 😀').chain((value) => spelled(value, value));
const datetime = fc.constantFrom(
  ...['2025-09-15T15:10:00Z', '2025-09-15T17:10:00+02:00', '2025-09-15T15:10:00', '2025-09-15T15:10:00.999Z'].map(
    (json) => ({ json, wire: '2025-09-15T15:10:00Z' }),
  ),
  ...['2025-01-01', '2025-01-01T00:00:00Z', '2024-12-31T19:00:00.5-05:00'].map((json) => ({
    json,
    wire: '2025-01-01T00:00:00Z',
  })),
);

/** Fields of ConfigurationItems of every kind: required, read-only, both and neither. */
const fields: Record<string, fc.Arbitrary<Spelled>> = {
  productID: integer,
  isActive: boolean,
  companyID: integer,
  serialNumber: text,
  dailyCost: double,
  installDate: datetime,
  rmmDeviceAuditMemoryBytes: long,
  'udf:Tier': integer,
  'udf:Seen': datetime,
};
const required = ['productID', 'isActive', 'companyID'];

const orNothing = (value: fc.Arbitrary<Spelled>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: nothing });
/** Any of the fields, each with any of its values. */
const given: fc.Arbitrary<Given> = fc
  .record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.option(orNothing(value))])))
  .map((named) => Object.fromEntries(Object.entries(named).flatMap(([name, value]) => (value ? [[name, value]] : []))));
const whole: fc.Arbitrary<Given> = fc
  .tuple(fc.record(Object.fromEntries(required.map((name) => [name, fields[name] ?? nothing]))), given)
  .map(([needed, more]) => ({ ...more, ...needed }));

const slot = fc.nat(SLOTS - 1);
const event: fc.Arbitrary<GivenEvent> = fc.record({
  action: fc.constantFrom<Action>('Create', 'Update', 'Update', 'Update', 'Delete'),
  slot,
  given,
  changed: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...Object.keys(fields)), { maxLength: 3 }) },
  ),
});

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    slot: fc.option(fc.nat(MADE_SLOT - 1)),
    given: fc.oneof(whole, given),
  }),
  fc.record({ kind: fc.constant('patch' as const), slot, given, isIdInPath: fc.boolean() }),
  fc.record({ kind: fc.constant('put' as const), slot, given: whole, isIdInPath: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), slot }),
  fc.record({ kind: fc.constant('events' as const), events: fc.array(event, { minLength: 1, maxLength: 4 }) }),
);

export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { minLength: 1, maxLength: 12 });
