/**
 * The words by which programs know what is wrong: one for each kind of fault, the same in every collection, and what they
 * mean. More may come; none changes its meaning.
 */
export const problemCodes = {
  required: 'Something that must be there is absent, null or empty.',
  invalidType: 'A value is of another type than its key takes.',
  tooLong: 'A text has more characters than its key takes.',
  invalid: 'A value of the right type cannot be taken: out of range, none of the defined ones, or not allowed here.',
  invalidUrl: 'An address cannot be called: its form or its scheme is wrong, or it is not allowed.',
  unknownField: 'A name or an id is that of no field, system or user-defined.',
  unknownKey: 'A key of the body means nothing there; only of requests that ask for strict handling.',
  ineffective: 'The webhook could make no callout, or not all it is subscribed to; only for strict handling.',
  unknownReference: 'An id is that of nothing this tenant has.',
  duplicateKey: 'Two keys of one object are the same, or differ by case only.',
  duplicate: 'There is one already: a name, an id, or a record about the same.',
  unknownOperator: 'A filter names an operator that there is not.',
  unsuitableOperator: 'An operator cannot judge fields of this type.',
  notQueryable: 'A filter names a field that cannot be asked for.',
  tooDeep: 'The groups of a filter, or the values of a body, are nested too deep.',
  tooManyBranches: 'A filter has too many alternatives.',
  tooManyUdfs: 'A filter names more than one user-defined field.',
  tooSlow: 'A query took too long: narrow its filter.',
  unauthorized: 'The credentials are absent, unknown or wrong.',
  lockedOut: 'Too many failed sign-ins: wait, even with the right secret.',
  forbidden: 'The caller lacks the right.',
  notFound: 'The path, or what it or the body names, is not there, or is another tenant’s.',
  conflict: 'Stored data does not allow it: something else has to be changed first.',
  tooLarge: 'The body is too large, or what it asks for is.',
  tooManyRequests: 'Too many requests: wait before the next one.',
  unavailable: 'Something that is needed is away: try again later.',
  wrongZone: 'The tenant is served by another zone: ask zoneInformation for its address.',
} as const;

export type ProblemCode = keyof typeof problemCodes;

export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === 'string' && Object.hasOwn(problemCodes, text);
}
