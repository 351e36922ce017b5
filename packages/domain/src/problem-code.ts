/**
 * The codes of problems for programs: a code for each kind of fault, the same in every collection, and the meaning.
 * More may be added; no code changes its meaning.
 */
export const problemCodes = {
  required: 'A required value is missing, null or empty.',
  invalidType: 'A value has the wrong type.',
  tooLong: 'A text is longer than allowed.',
  invalid:
    'A value has the right type but is not valid: out of range, not one of the defined values, or not allowed here.',
  invalidUrl: 'A URL cannot be called: its form or its scheme is wrong, or it is not allowed.',
  unknownField: 'There is no field, system or user-defined, with this name or id.',
  unknownKey: 'A key of the body is unknown; only for requests that ask for strict handling.',
  ineffective: 'The webhook would get no callouts, or not all that it subscribes to; only for strict handling.',
  inexact: 'A number without quotes has more digits than JSON numbers keep; only for strict handling.',
  weakSecret: 'A secret is so short that it can be guessed; only for strict handling.',
  unknownReference: 'An id names nothing that this tenant has.',
  duplicateKey: 'Two keys of one object are the same, or differ only by case.',
  duplicate: 'It already exists: the name, the id, or an entry for the same thing.',
  unknownOperator: 'A filter names an operator that does not exist.',
  unsuitableOperator: 'An operator does not work with fields of this type.',
  notQueryable: 'A filter names a field that cannot be queried.',
  tooDeep: 'The groups of a filter, or the values of a body, are nested too deeply.',
  tooManyBranches: 'A filter has too many alternatives.',
  tooManyUdfs: 'A filter names more than one user-defined field.',
  tooSlow: 'A query took too long: narrow its filter.',
  unauthorized: 'The credentials are missing, unknown or wrong.',
  lockedOut: 'Too many failed sign-ins: wait, even with the right secret.',
  forbidden: 'The caller does not have the right to do this.',
  notFound: 'The path, or something that it or the body names, does not exist or belongs to another tenant.',
  conflict: 'The stored data does not allow it: something else has to be changed first.',
  tooLarge: 'The body, or what it asks for, is too large.',
  tooManyRequests: 'Too many requests: wait before the next one.',
  unavailable: 'The service is temporarily unable to do this: try again later.',
  wrongZone: 'The tenant is served by another zone: ask zoneInformation for its address.',
} as const;

export type ProblemCode = keyof typeof problemCodes;

export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === 'string' && Object.hasOwn(problemCodes, text);
}
