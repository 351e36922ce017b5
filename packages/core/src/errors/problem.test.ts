import { describe, expect, it } from '@jest/globals';
import { Problem, type ProblemDetail } from './problem.ts';

describe('Problem', () => {
  it('answers every sentence in errors and every detail beside it', () => {
    const details: ProblemDetail[] = [
      { code: 'required', field: 'name', message: 'name is required' },
      { code: 'tooLong', field: 'secretKey', message: 'secretKey must be 64 characters or fewer' },
    ];
    const problem = Problem.invalid(details);
    expect(problem.status).toBe(400);
    expect(problem.toEnvelope()).toEqual({ errors: details.map(({ message }) => message), details });
    expect(problem.message).toBe('name is required; secretKey must be 64 characters or fewer');
  });

  it.each([
    [Problem.invalid('that is wrong', 'name'), 400, { code: 'invalid', field: 'name', message: 'that is wrong' }],
    [Problem.unauthorized(), 401, { code: 'unauthorized', message: 'The credentials are unknown or wrong' }],
    [Problem.forbidden('no'), 403, { code: 'forbidden', message: 'no' }],
    [Problem.notFound(), 404, { code: 'notFound', message: '404: No matching records found' }],
    [
      Problem.methodNotAllowed(['GET', 'POST']),
      405,
      { code: 'methodNotAllowed', message: 'This path takes GET, POST only' },
    ],
    [Problem.conflict('twice', 'id'), 409, { code: 'conflict', field: 'id', message: 'twice' }],
    [Problem.duplicate('twice', 'name'), 409, { code: 'duplicate', field: 'name', message: 'twice' }],
    [Problem.tooLarge(10), 413, { code: 'tooLarge', message: 'The body must be 10 bytes or fewer' }],
    [
      Problem.unsupportedMediaType(),
      415,
      { code: 'unsupportedMediaType', message: 'Content-Type must be application/json' },
    ],
    [Problem.tooManyRequests('slow down', 5), 429, { code: 'tooManyRequests', message: 'slow down' }],
    [Problem.unavailable('away', 3), 503, { code: 'unavailable', message: 'away' }],
  ])('%s', (problem, status, detail) => {
    expect(problem.status).toBe(status);
    expect(problem.details).toEqual([detail]);
    expect(problem).toBeInstanceOf(Error);
  });

  it('carries what the headers of its status need', () => {
    expect(Problem.methodNotAllowed(['GET']).allowedMethods).toEqual(['GET']);
    expect(Problem.tooManyRequests('slow down', 5).retryAfterS).toBe(5);
    expect(Problem.unavailable('away', 3).retryAfterS).toBe(3);
    expect(Problem.notFound().retryAfterS).toBeUndefined();
  });

  it('keeps the cause for the log and shows it to nobody', () => {
    const problem = Problem.unavailable('the database is away', 1, new Error('connect ECONNREFUSED'));
    expect(problem.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(problem.toEnvelope())).not.toContain('ECONNREFUSED');
  });
});
